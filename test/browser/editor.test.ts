/** The node in n8n's own editor, in a real browser. All share one n8n, which takes its time to start. */
import { describeCredential } from './credential.ts';
import { describeLists } from './lists.ts';
import { describeNodeSearch } from './nodeSearch.ts';
import { describePreviews } from './previews.ts';
import { describeTemplates } from './templates.ts';
import { describeTrigger } from './trigger.ts';
import { describeWebhooks } from './webhooks.ts';
import { startWorld, stopWorld } from './world.ts';

/** Generous, for busy machines: a step of the editor that does not come ends a test sooner. */
jest.setTimeout(240_000);

beforeAll(startWorld);

afterAll(stopWorld);

describe('The credential', describeCredential);
describe('The list of nodes', describeNodeSearch);
describe('Lists', describeLists);
describe('Templates', describeTemplates);
describe('Agents', describeWebhooks);
describe('Previews', describePreviews);
describe('The trigger', describeTrigger);
