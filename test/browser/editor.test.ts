/** The node in n8n's own editor, in a real browser. All share one n8n, which takes its time to start. */
import { START_TIMEOUT_MS } from '../e2e/sandbox.ts';
import { describeCredential } from './credential.ts';
import { describeLists } from './lists.ts';
import { describeNodeSearch } from './nodeSearch.ts';
import { describePreviews } from './previews.ts';
import { describeTemplates } from './templates.ts';
import { describeTrigger } from './trigger.ts';
import { describeWebhooks } from './webhooks.ts';
import { startWorld, stopWorld } from './world.ts';

jest.setTimeout(120_000);

beforeAll(startWorld, START_TIMEOUT_MS);

afterAll(stopWorld);

describe('The credential', describeCredential);
describe('The list of nodes', describeNodeSearch);
describe('Lists', describeLists);
describe('Templates', describeTemplates);
describe('Agents', describeWebhooks);
describe('Previews', describePreviews);
describe('The trigger', describeTrigger);
