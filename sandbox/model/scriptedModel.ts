import Fastify from 'fastify';

/** A function that the model may call, as the client describes it. */
interface OfferedTool {
	name: string;
	description: string;
	parameters: { properties?: Record<string, unknown>; required?: string[] };
}

interface ChatMessage {
	role: string;
	content?: unknown;
}

interface ChatRequest {
	messages: ChatMessage[];
	tools?: Array<{ function: OfferedTool }>;
}

/** What the model does in a conversation: calls one tool, and then says what came of it. */
interface Script {
	tool: string;
	arguments: Record<string, unknown>;
	/** How often it calls the tool, each time when it has read the answer before; once unless given. */
	times?: number;
}

/** A stand-in for a language model that follows a script, behind the usual chat completions interface. */
export interface ScriptedModel {
	/** The base address for the client. */
	url: string;
	follow(script: Script): void;
	/** The tools that were on offer in the latest request. */
	tools(): OfferedTool[];
	/** What the called tool answered, as the model got to read it. */
	toolAnswer(): string | undefined;
	close(): Promise<void>;
}

/** Starts the stand-in on the loopback interface. */
export async function startScriptedModel(): Promise<ScriptedModel> {
	const app = Fastify({ bodyLimit: 50_000_000 });
	let script: Script | undefined;
	let latest: ChatRequest = { messages: [] };
	app.post<{ Body: ChatRequest }>('/v1/chat/completions', ({ body }) => {
		latest = body;
		const answers = body.messages.filter(({ role }) => role === 'tool').length;
		const { times = 1 } = script ?? {};
		return completion(script && answers < times ? callOf(script, answers) : { content: 'Done.' });
	});
	const origin = await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		url: `${origin}/v1`,
		follow(next) {
			script = next;
			latest = { messages: [] };
		},
		tools: () => (latest.tools ?? []).map((tool) => tool.function),
		toolAnswer() {
			const content = latest.messages.findLast(({ role }) => role === 'tool')?.content;
			return content === undefined || typeof content === 'string'
				? content
				: JSON.stringify(content);
		},
		close: () => app.close(),
	};
}

function callOf({ tool, arguments: args }: Script, answers: number): object {
	const call = { name: tool, arguments: JSON.stringify(args) };
	const id = `call_${answers + 1}`;
	return { content: null, tool_calls: [{ id, type: 'function', function: call }] };
}

function completion(message: object): object {
	const isCall = 'tool_calls' in message;
	return {
		id: 'completion-1',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [
			{
				index: 0,
				message: { role: 'assistant', ...message },
				finish_reason: isCall ? 'tool_calls' : 'stop',
			},
		],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
