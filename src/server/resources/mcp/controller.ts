import { Body, Controller, Header, Post, Request, Response, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ErrorView, JsonMap } from '../wire.ts';
import type { McpService } from './service.ts';

@Route('mcp')
@Tags('System')
export class McpController extends Controller {
  private readonly mcp: McpService;
  constructor(mcp: McpService) {
    super();
    this.mcp = mcp;
  }

  /**
   * A message of the Model Context Protocol (streamable HTTP, answered with JSON, without sessions), or up to 20 of them as a
   * list, as version 2025-03-26 of the protocol has it. The tools read what the caller may see; tools that write are there
   * where `ARCHEION_MCP_WRITES` is `true`.
   */
  @Post()
  @Response<void>(202, 'There is nothing to say')
  @Response<JsonMap>(400, 'No message')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Not registered')
  async answer(
    @Request() request: CallerRequest,
    @Body() message: JsonMap | JsonMap[],
    @Header('MCP-Protocol-Version') protocol?: string,
  ): Promise<JsonMap | JsonMap[]> {
    const { status, json } = await this.mcp.answer(request.caller, { message, protocol });
    this.setStatus(status);
    return json === null ? (undefined as never) : StoredJson.as<JsonMap | JsonMap[]>(json);
  }
}
