import { answerBytes } from '../../http/byte-answer.ts';
import {
  Body,
  Delete,
  Get,
  Header,
  Path,
  Post,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { answerEvents } from '../../http/event-answer.ts';
import type { StreamRequest } from '../../http/streams.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../wire.ts';
import type { ChatService } from './service.ts';
import type { ChatBody, ChatDeletedView, ChatLimitView, ChatSessionsView, ChatSessionView } from './wire.ts';

@Route('chat')
@Tags('Chat')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class ChatController {
  private readonly chat: ChatService;
  constructor(chat: ChatService) {
    this.chat = chat;
  }

  /**
   * Ask the language model that the node is set to. It reads what it needs with the permissions of the caller, and names
   * the entities that it used. The answer is a stream of events in the UI message stream format of AI SDK 5: text,
   * tool calls and their results, sources, and at the end the usage; then `[DONE]`.
   * @param chatId The session to go on with; without it a new one begins. The answer's `X-Chat-ID` names it.
   */
  @Post()
  @SuccessResponse(200, 'The answer, as it is written', 'text/event-stream')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(404, 'No such session')
  @Response<ChatLimitView>(413, 'A message is too large')
  @Response<ErrorView>(502, 'The language model does not answer')
  @Response<ErrorView>(503, 'No language model is set')
  @Response<ChatLimitView>(507, 'The storage of chats is full')
  async send(
    @Request() request: StreamRequest,
    @Body() body: ChatBody,
    @Header('X-Chat-ID') chatId?: string,
  ): Promise<string> {
    const { chatId: id, parts, failed } = await this.chat.send(request.caller, body, chatId);
    request.res.setHeader('X-Chat-ID', id);
    const headers = { 'x-vercel-ai-ui-message-stream': 'v1' };
    return answerEvents(request, { events: parts, headers, failed, end: '[DONE]' });
  }

  /**
   * The caller's sessions, those with the newest activity first.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 100
   * @isInt offset
   * @minimum offset 0
   */
  @Get('sessions')
  @Response<ValidationErrorView>(400, 'Validation failed')
  sessions(
    @Request() request: CallerRequest,
    @Query() limit: number = 20,
    @Query() offset: number = 0,
  ): ChatSessionsView {
    return this.chat.list(request.caller, limit, offset);
  }

  /** A session with its messages. Only its owner may. */
  @Get('sessions/{id}')
  @Response<ErrorView>(404, 'Not found')
  async session(@Request() request: StreamRequest, @Path() id: string): Promise<ChatSessionView> {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    await answerBytes(request, this.chat.read(request.caller, id), headers);
    return undefined as never;
  }

  /** Delete a session with all its messages. Only its owner may. */
  @Delete('sessions/{id}')
  @Response<ErrorView>(404, 'Not found')
  async remove(@Request() request: CallerRequest, @Path() id: string): Promise<ChatDeletedView> {
    await this.chat.remove(request.caller, id);
    return { success: true };
  }
}
