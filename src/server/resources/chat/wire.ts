import type { JsonMap } from '../wire.ts';

export interface ChatTextPart {
  type: 'text';
  text: string;
}

export interface ChatToolPart {
  type: string;
  toolCallId?: string;
  toolName?: string;
  args?: JsonMap;
  output?: unknown;
  state?: 'partial-call' | 'call' | 'output-available';
}

/** Any other part; it is ignored. */
export interface ChatOtherPart {
  type: string;
}

export type ChatRole = 'user' | 'assistant' | 'system' | 'tool';

export interface ChatMessageBody {
  id: string;
  role: ChatRole;
  /** What was said, in parts of type `text`; others are ignored. */
  parts?: (ChatTextPart | ChatToolPart | ChatOtherPart)[];
  /** What was said, where there are no parts. */
  content?: string;
}

export interface ChatBody {
  /**
   * The last one is what the user asks now. In a new session those before it are taken as its history; in a session
   * that goes on they are there already, and ignored.
   * @minItems 1
   * @maxItems 10000
   */
  messages: ChatMessageBody[];
}

export interface ChatSummaryView {
  id: string;
  /** The first 50 characters of the first message. */
  title: string | null;
  createdAt: string;
  updatedAt: string;
  /** The first 100 characters of the last message, without Markdown. */
  lastMessagePreview: string | null;
}

export interface ChatSessionsView {
  /** Newest activity first. */
  chats: ChatSummaryView[];
  /** @isInt */
  total: number;
  hasMore: boolean;
}

/** One use of a tool by the language model. */
export interface ToolInvocationView {
  toolCallId: string;
  toolName: string;
  args?: JsonMap;
  result?: unknown;
  state: string;
}

/** An entity that an answer rests on. */
export interface CitationView {
  id: string;
  type: string;
  label: string;
}

export interface ChatMessageView {
  id: string;
  role: ChatRole;
  content: string;
  createdAt: string;
  toolInvocations?: ToolInvocationView[];
  /** The entities that the answer names or was made from. */
  citations?: CitationView[];
}

export interface ChatSessionView {
  id: string;
  createdAt: string;
  updatedAt: string;
  ownerId: string | null;
  title: string | null;
  messages?: ChatMessageView[];
}

export interface ChatDeletedView {
  success: boolean;
}

/** A refusal that says how much there may be. */
export interface ChatLimitView {
  error: string;
  code: 'MESSAGE_TOO_LARGE' | 'CHAT_STORAGE_FULL';
  details?: {
    code: string;
    message: string;
    limit: string;
    actual?: string;
  };
}

/** One event of an answer: the parts of the UI message stream of AI SDK 5, and the usage as the last one. */
export type ChatStreamPart =
  | { type: 'start'; messageId: string; messageMetadata: { chatId: string } }
  | { type: 'start-step' | 'finish-step' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: JsonMap }
  | { type: 'tool-input-error'; toolCallId: string; toolName: string; input: unknown; errorText: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: 'error'; errorText: string }
  | { type: 'finish'; messageMetadata: { usage: ChatUsage } }
  | { type: 'message_delta'; delta: { usage: ChatUsage } };

export interface ChatUsage {
  input_tokens: number;
  output_tokens: number;
}
