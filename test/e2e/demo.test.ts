/** What `npm start` starts, and what runs in there: the examples, tools of AI agents, the credential. */
import { startDemo } from '../../sandbox/demo/demo.ts';
import { FRUGAL } from '../../sandbox/n8n/sandbox.ts';
import { share, shareModel } from './shared.ts';
import './examples.ts';
import './examplesOverDays.ts';
import './exampleChats.ts';
import './exampleRest.ts';
import './agentTools.ts';
import './credential.ts';

share(() => startDemo({ env: FRUGAL }));
shareModel();
