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
import { StoredJson } from '../../http/stored-json.ts';
import type { StreamRequest } from '../../http/streams.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { RhizaStatusView } from '../jobs/wire.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { ResumeService } from './resume-service.ts';
import type { RhizaJobsService } from './service.ts';
import type { RhizaStatusService } from './status-service.ts';
import type { InvokeRhizaBody, ResumeBody, ResumedView, RhizaInvokedView, RhizaPreviewView } from './wire.ts';

@Route('rhizai')
@Tags('Rhizai')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(404, 'Not found')
export class RhizaJobsController extends Controller {
  private readonly jobs: RhizaJobsService;
  private readonly resumption: ResumeService;
  private readonly statuses: RhizaStatusService;
  constructor(rhizai: { jobs: RhizaJobsService; resumption: ResumeService; status: RhizaStatusService }) {
    super();
    this.jobs = rhizai.jobs;
    this.resumption = rhizai.resumption;
    this.statuses = rhizai.status;
  }

  /**
   * Start a workflow: all its kladoi get temporary permissions in the target collection, and its entry step begins. Without
   * `confirm` nothing happens, and the answer (200) says which permissions these are, and whether all kladoi are ready.
   */
  @Post('{id}/invoke')
  @SuccessResponse(202, 'Started, or refused by the entry klados')
  @Response<RhizaPreviewView>(200, 'What would happen')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Forbidden')
  async invoke(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: InvokeRhizaBody,
  ): Promise<RhizaInvokedView> {
    const answer = await this.jobs.invoke(request.caller, id, body);
    if (answer.status === 'pending_confirmation') this.setStatus(200);
    return answer as RhizaInvokedView;
  }

  /**
   * How far a workflow has come, from the logs of its jobs. A job that wrote no end of its log before its permissions ended
   * has failed with the code TIMEOUT.
   * @minLength job_id 1
   */
  @Get('{id}/jobs/{job_id}/status')
  @NoSecurity()
  jobStatus(@Request() request: CallerRequest, @Path() id: EntityId, @Path() job_id: string): Promise<RhizaStatusView> {
    return this.statuses.status(request.caller, id, job_id);
  }

  /**
   * The same as server-sent events: one now and one for each change, until the workflow is done or has failed.
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

  /**
   * Send the requests of failed jobs again, where their errors can be repeated. The permissions of all kladoi are prolonged.
   * @minLength job_id 1
   */
  @Post('{id}/jobs/{job_id}/resume')
  @SuccessResponse(200, 'Resumed')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Forbidden')
  async resume(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Path() job_id: string,
    @Body() body: ResumeBody,
  ): Promise<ResumedView> {
    return StoredJson.as<ResumedView>(await this.resumption.resume(request.caller, id, job_id, body));
  }
}
