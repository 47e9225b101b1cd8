import {
  Body,
  Controller,
  Get,
  NoSecurity,
  Path,
  Post,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { answerEvents } from '../../http/event-answer.ts';
import type { StreamRequest } from '../../http/streams.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { KladosStatusView } from '../jobs/wire.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { BatchJobsService } from './batch-service.ts';
import type { ReinvokeService } from './reinvoke-service.ts';
import type { KladosJobsService } from './service.ts';
import type { KladosStatusService } from './status-service.ts';
import type {
  InvokeBatchBody,
  InvokeKladosBody,
  KladosBatchPreviewView,
  KladosDispatchView,
  KladosInvokedView,
  KladosPreviewView,
  ReinvokeBody,
  ReinvokedView,
} from './wire.ts';

@Route('kladoi')
@Tags('Kladoi')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(404, 'Not found')
export class KladosJobsController extends Controller {
  private readonly jobs: KladosJobsService;
  private readonly batches: BatchJobsService;
  private readonly reinvocations: ReinvokeService;
  private readonly statuses: KladosStatusService;
  constructor(kladoi: {
    jobs: KladosJobsService;
    batches: BatchJobsService;
    reinvocations: ReinvokeService;
    status: KladosStatusService;
  }) {
    super();
    this.jobs = kladoi.jobs;
    this.batches = kladoi.batches;
    this.reinvocations = kladoi.reinvocations;
    this.statuses = kladoi.status;
  }

  /**
   * Start a klados, which gets temporary permissions in the target collection. Without `confirm` nothing happens, and the
   * answer (200) says which permissions these are. The klados may refuse the job. Kladoi hand on by this, too, with the
   * context of the workflow in `rhiza`: to others of their run, in its target collection, which get what the run gave them. A
   * handoff that is sent twice with the same `input` is one.
   */
  @Post('{id}/invoke')
  @SuccessResponse(202, 'Started, or refused by the klados')
  @Response<KladosPreviewView>(200, 'What would happen')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Forbidden')
  async invoke(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: InvokeKladosBody,
  ): Promise<KladosInvokedView> {
    const answer = await this.jobs.invoke(request.caller, id, body);
    if (answer.status === 'pending_confirmation') this.setStatus(200);
    return answer as KladosInvokedView;
  }

  /**
   * Start a klados for many targets, each in a job of its own. Without `confirm` nothing happens, and the answer (200) says
   * which permissions it would get. The answer to a confirmed request comes when the jobs are on disk; they are sent a few
   * at a time, also after a restart of the node.
   */
  @Post('{id}/invoke/batch')
  @SuccessResponse(202, 'Recorded')
  @Response<KladosBatchPreviewView>(200, 'What would happen')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Forbidden')
  async invokeBatch(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: InvokeBatchBody,
  ): Promise<KladosDispatchView> {
    const answer = await this.batches.invoke(request.caller, id, body);
    if (answer.status === 'pending_confirmation') this.setStatus(200);
    return answer as KladosDispatchView;
  }

  /** Send the request of a failed job again, as a new job after it. 202 where the klados takes it, 200 where it refuses. */
  @Post('{id}/reinvoke')
  @SuccessResponse(202, 'Accepted')
  @Response<ReinvokedView>(200, 'Refused by the klados')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Forbidden')
  async reinvoke(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: ReinvokeBody,
  ): Promise<ReinvokedView> {
    const answer = await this.reinvocations.reinvoke(request.caller, id, body);
    if (!answer.accepted) this.setStatus(200);
    return answer;
  }

  /**
   * How far a job of a klados has come, or a batch of jobs under its `dispatch_id`.
   * @minLength job_id 1
   */
  @Get('{id}/jobs/{job_id}/status')
  @NoSecurity()
  jobStatus(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Path() job_id: string,
  ): Promise<KladosStatusView> {
    return this.statuses.status(request.caller, id, job_id);
  }

  /**
   * The same as server-sent events: one now and one for each change, until the job is done or has failed.
   * @minLength job_id 1
   */
  @Get('{id}/jobs/{job_id}/status/stream')
  @NoSecurity()
  @SuccessResponse(200, 'The states', 'text/event-stream')
  @Response<ErrorView>(503, 'Too many clients follow jobs')
  followJob(@Request() request: StreamRequest, @Path() id: EntityId, @Path() job_id: string): Promise<string> {
    return answerEvents(request, {
      events: (gone) => this.statuses.follow(request.caller, id, job_id, gone),
      headers: {},
      failed: () => [],
      end: null,
    });
  }
}
