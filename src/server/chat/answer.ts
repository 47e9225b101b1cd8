import { fromJson } from '../model/from-json.ts';
import type { Answering, Question } from '../resources/chat/service.ts';
import type { ChatStreamPart, CitationView, ToolInvocationView } from '../resources/chat/wire.ts';
import type { JsonMap } from '../resources/wire.ts';
import { citation, Sources } from './citations.ts';
import { type EndpointSettings, type ModelMessage, openCompletion } from './model-endpoint.ts';
import { modelFault } from './model-error.ts';
import { promptOf } from './prompt.ts';
import { type ToolCall, ToolCalls } from './tool-calls.ts';
import { bounded, refusalOf, type Tool } from './tools.ts';

export interface AnsweringNeeds {
  endpoint: EndpointSettings;
  tools: Tool[];
  /** An entity's facts where the user may see it. */
  look: (caller: Question['caller'], id: string) => Promise<CitationView>;
  /** The scheme of references. */
  service: string;
  now: () => number;
}

/** How often the language model is asked for one answer; the last time without tools. */
const maxRounds = 8;
const maxAnswer = 400_000;
/** What is wrong with an answer that ends since it came to a limit of its model, and what helps. */
const cutAnswer = [
  'broke its answer off, since it may write no more',
  'Ask it to go on, or give it more room where it runs (how long an answer may be, or what it keeps in mind).',
] as const;

/** Answers with an OpenAI-compatible language model, which gets the node's operations as tools. */
export function createAnswering(needs: AnsweringNeeds): Answering {
  return (question) => new Answer(needs, question).parts();
}

/** One answer while it is made. */
class Answer {
  readonly #needs: AnsweringNeeds;
  readonly #question: Question;
  readonly #sources = new Sources();
  readonly #callIds = new Set<string>();
  readonly #messages: ModelMessage[];

  constructor(needs: AnsweringNeeds, question: Question) {
    this.#needs = needs;
    this.#question = question;
    this.#messages = conversation(needs, question);
  }

  async *parts(): AsyncGenerator<ChatStreamPart> {
    for (let round = 1; ; round++) {
      const calls = yield* this.#round(round);
      if (calls.length === 0) return;
      if (round === maxRounds) throw modelFault(`asked for tools ${maxRounds} times without an answer`);
    }
  }

  async *#round(round: number): AsyncGenerator<ChatStreamPart, ToolCall[]> {
    const { endpoint, tools } = this.#needs;
    const request = {
      messages: this.#messages,
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters },
      })),
      tool_choice: round < maxRounds ? ('auto' as const) : ('none' as const),
    };
    const chunks = await openCompletion(endpoint, request, this.#question.signal);
    yield { type: 'start-step' };
    try {
      const { text, calls, isCut } = yield* this.#read(chunks, `text-${round}`);
      if (calls.length > 0) yield* this.#use(text, calls);
      else yield* this.#cite();
      // The SDK knows no other part that every program heeds: what its `finish` may have beside metadata differs by its version.
      if (isCut && calls.length === 0) throw modelFault(...cutAnswer);
      return calls;
    } finally {
      // A part cannot be given to a client that has left.
      if (!this.#question.signal.aborted) yield { type: 'finish-step' };
    }
  }

  /** Passes the text on as it comes. */
  async *#read(
    chunks: Awaited<ReturnType<typeof openCompletion>>,
    id: string,
  ): AsyncGenerator<ChatStreamPart, { text: string; calls: ToolCall[]; isCut: boolean }> {
    const { record } = this.#question;
    const before = record.text === '' ? '' : `${record.text}\n\n`;
    const calls = new ToolCalls(this.#callIds);
    let text = '';
    let isCut = false;
    try {
      for await (const { choices, usage } of chunks) {
        record.usage.input_tokens += usage?.prompt_tokens ?? 0;
        record.usage.output_tokens += usage?.completion_tokens ?? 0;
        const { delta, finish_reason } = choices?.[0] ?? {};
        isCut ||= finish_reason === 'length';
        if (delta?.content) {
          if (text === '') yield { type: 'text-start', id };
          text += delta.content;
          record.text = before + text;
          yield { type: 'text-delta', id, delta: delta.content };
          if (record.text.length > maxAnswer) throw modelFault('wrote more than an answer can be, and was stopped');
        }
        for (const piece of delta?.tool_calls ?? []) {
          const { call, begun, text: more } = calls.add(piece);
          if (begun) yield { type: 'tool-input-start', toolCallId: call.id, toolName: call.name };
          if (more !== '') yield { type: 'tool-input-delta', toolCallId: call.id, inputTextDelta: more };
        }
      }
    } finally {
      if (text !== '' && !this.#question.signal.aborted) yield { type: 'text-end', id };
    }
    return { text, calls: calls.calls, isCut };
  }

  /** Runs the tools, all at once, and tells the language model what they found. */
  async *#use(text: string, calls: ToolCall[]): AsyncGenerator<ChatStreamPart> {
    this.#messages.push({
      role: 'assistant',
      content: text,
      tool_calls: calls.map(({ id, name, text: args }) => ({
        id,
        type: 'function',
        // What is no JSON would be refused when it comes back.
        function: { name, arguments: argumentsOf(args) === undefined ? '{}' : args || '{}' },
      })),
    });
    for (const { id: toolCallId, name: toolName, text: args } of calls) {
      const input = argumentsOf(args);
      if (input !== undefined) yield { type: 'tool-input-available', toolCallId, toolName, input };
      else yield { type: 'tool-input-error', toolCallId, toolName, input: args, errorText: notJson };
    }
    const done = await Promise.all(calls.map((call) => this.#run(call)));
    this.#question.signal.throwIfAborted();
    for (const { invocation, text: told } of done) {
      const { toolCallId, result, state } = invocation;
      this.#question.record.toolInvocations.push(invocation);
      this.#messages.push({ role: 'tool', tool_call_id: toolCallId, content: told });
      if (state === 'output-available') yield { type: 'tool-output-available', toolCallId, output: result };
      else yield { type: 'tool-output-error', toolCallId, errorText: told };
    }
  }

  async #run({ id, name, text: args }: ToolCall): Promise<{ invocation: ToolInvocationView; text: string }> {
    const input = argumentsOf(args);
    const invocation = { toolCallId: id, toolName: name, ...(input && { args: input }) };
    try {
      const tool = this.#needs.tools.find((one) => one.name === name);
      if (!tool || input === undefined) {
        const text = tool
          ? notJson
          : `There is no tool of that name: use ${this.#needs.tools.map((t) => t.name).join(', ')}.`;
        return { invocation: { ...invocation, result: text, state: 'output-error' }, text };
      }
      const found = await tool.run(this.#question.caller, input);
      this.#sources.add(found);
      const { output, text } = bounded(found);
      return { invocation: { ...invocation, result: output, state: 'output-available' }, text };
    } catch (error) {
      const text = refusalOf(error);
      if (text === undefined) throw error;
      return { invocation: { ...invocation, result: text, state: 'output-error' }, text };
    }
  }

  async *#cite(): AsyncGenerator<ChatStreamPart> {
    const { caller, record } = this.#question;
    const look = (id: string) => this.#needs.look(caller, id).then(citation, () => undefined);
    record.citations = await this.#sources.cited(record.text, this.#needs.service, look);
    for (const { id, label } of record.citations)
      yield { type: 'source-document', sourceId: id, mediaType: 'application/json', title: label };
  }
}

const notJson = 'The arguments are no JSON object.';

/** The arguments of a call; without any an empty object, undefined for what is no object. */
function argumentsOf(text: string): JsonMap | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = fromJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Some models refuse two messages of one role in a row, system messages that are not the first, messages without text,
 * and a conversation that the assistant begins, as one does whose beginning is left out.
 */
function conversation({ service, now }: AnsweringNeeds, { history, caller }: Question): ModelMessage[] {
  const { actor } = caller;
  const user = actor.kind === 'anonymous' ? '' : actor.id;
  const asked = history.flatMap(({ role, text }) => (role === 'system' ? [text] : []));
  const messages: ModelMessage[] = [
    { role: 'system', content: [promptOf({ service, user, now: now() }), ...asked].join('\n\n') },
  ];
  for (const { role, text } of history) {
    if ((role !== 'user' && role !== 'assistant') || text === '') continue;
    const last = messages.at(-1);
    if (last?.role === role) last.content += `\n\n${text}`;
    else if (role === 'assistant' && messages.length === 1)
      messages.push({ role: 'user', content: '…' }, { role, content: text });
    else messages.push({ role, content: text });
  }
  return messages;
}
