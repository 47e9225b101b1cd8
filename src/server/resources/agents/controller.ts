import {
  Body,
  Controller,
  Get,
  NoSecurity,
  Path,
  Post,
  Put,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ConflictView, EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { AgentsService } from './service.ts';
import type { AgentUpdatedView, AgentView, CreateAgentBody, UpdateAgentBody } from './wire.ts';

@Route('agents')
@Tags('Agents')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
export class AgentsController extends Controller {
  private readonly agents: AgentsService;
  constructor(agents: AgentsService) {
    super();
    this.agents = agents;
  }

  /** Register an agent; it begins in `development`. An exact replay of a request with `id` answers 200 with what it made. */
  @Post()
  @SuccessResponse(201, 'Created')
  @Response<AgentView>(200, 'The same request made it before')
  async create(@Request() request: CallerRequest, @Body() body: CreateAgentBody): Promise<AgentView> {
    const { created, manifest } = await this.agents.create(request.caller, body);
    if (!created) this.setStatus(200);
    return manifest as AgentView;
  }

  /** Read an agent. */
  @Get('{id}')
  @NoSecurity()
  async read(@Request() request: CallerRequest, @Path() id: EntityId): Promise<AgentView> {
    return StoredJson.as<AgentView>(await this.agents.read(request.caller, id));
  }

  /** Change an agent: removals first, then what is given. */
  @Put('{id}')
  @Response<ConflictView>(409, 'The tip is another one')
  async update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateAgentBody,
  ): Promise<AgentUpdatedView> {
    return (await this.agents.update(request.caller, id, body)) as AgentUpdatedView;
  }
}
