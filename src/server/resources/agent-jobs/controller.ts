import {
  Body,
  Controller,
  Get,
  NoSecurity,
  Path,
  Post,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { AgentJobsService } from './service.ts';
import type { AgentStatusService } from './status-service.ts';
import type { AgentInvokedView, AgentPreviewView, AgentStatusView, InvokeAgentBody } from './wire.ts';

@Route('agents')
@Tags('Agents')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(404, 'Not found')
export class AgentJobsController extends Controller {
  private readonly jobs: AgentJobsService;
  private readonly statuses: AgentStatusService;
  constructor(agents: { jobs: AgentJobsService; status: AgentStatusService }) {
    super();
    this.jobs = agents.jobs;
    this.statuses = agents.status;
  }

  /**
   * Start an agent, which gets temporary permissions in the target collection, as do the agents that it uses. Without
   * `confirm` nothing happens, and the answer (200) says which permissions these are. The agent may refuse the job. An agent
   * starts those that it uses by this, too: where it names its own `job_collection` and its target, they get what its run
   * gave them.
   */
  @Post('{id}/invoke')
  @SuccessResponse(202, 'Started, or refused by the agent')
  @Response<AgentPreviewView>(200, 'What would happen')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Forbidden')
  async invoke(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: InvokeAgentBody,
  ): Promise<AgentInvokedView> {
    const answer = await this.jobs.invoke(request.caller, id, body);
    if (answer.status === 'pending_confirmation') this.setStatus(200);
    return answer as AgentInvokedView;
  }

  /**
   * What the agent says of a job.
   * @param detail More, from orchestrators
   * @param errors The last errors, from orchestrators
   * @minLength job_id 1
   * @isInt errors
   * @minimum errors 0
   * @maximum errors 100
   */
  @Get('{id}/jobs/{job_id}/status')
  @NoSecurity()
  @Response<ErrorView>(502, 'The agent cannot be reached')
  jobStatus(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Path() job_id: string,
    @Query() detail?: 'full',
    @Query() errors?: number,
  ): Promise<AgentStatusView> {
    return this.statuses.status(request.caller, id, job_id, { detail, errors });
  }
}
