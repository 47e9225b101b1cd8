import {
  Body,
  Controller,
  Get,
  Path,
  Post,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../../http/controller.ts';
import { StoredJson } from '../../../http/stored-json.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ReinvokeService } from '../../klados-jobs/reinvoke-service.ts';
import type { RepeatedView } from '../../klados-jobs/wire.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';
import type { RunsService } from './service.ts';
import type { RepeatBody, RunsView, RunView } from './wire.ts';

/** What was started on the node. */
@Route('node/jobs')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class RunsController extends Controller {
  private readonly runs: RunsService;
  private readonly reinvocations: ReinvokeService;
  constructor(runs: RunsService, reinvocations: ReinvokeService) {
    super();
    this.runs = runs;
    this.reinvocations = reinvocations;
  }

  /**
   * What was started on this node, by whomever, newest first: workflows, agents, kladoi and batches of them.
   * @param processor Only what began with this rhiza, agent or klados
   * @param before The `next` of the page before
   * @isInt before
   * @minimum before 0
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 100
   */
  @Get()
  async list(
    @Request() request: CallerRequest,
    @Query() processor?: EntityId,
    @Query() before?: number,
    @Query() limit: number = 50,
  ): Promise<RunsView> {
    const page = { ...(processor !== undefined && { processor }), ...(before !== undefined && { before }), limit };
    return StoredJson.as<RunsView>(await this.runs.list(request.caller, page));
  }

  /**
   * One run, by any of its jobs, with a page of all of them: which step each is, what it works on, where its log is and what
   * it made.
   * @minLength job_id 1
   * @maxLength job_id 100
   * @param failed Only those that failed, and those that repeat others.
   * @isInt offset
   * @minimum offset 0
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get('{job_id}')
  @Response<ErrorView>(404, 'Not found')
  async read(
    @Request() request: CallerRequest,
    @Path() job_id: string,
    @Query() failed: 'true' | 'false' = 'false',
    @Query() offset: number = 0,
    @Query() limit: number = 200,
  ): Promise<RunView> {
    const page = { failed: failed === 'true', offset, limit };
    return StoredJson.as<RunView>(await this.runs.read(request.caller, job_id, page));
  }

  /**
   * Repeats a failed job of a klados, as `POST /kladoi/{id}/reinvoke` does by its log: one that its klados never took has none.
   * @minLength job_id 1
   * @maxLength job_id 100
   */
  @Post('{job_id}/repeat')
  @SuccessResponse(202, 'Accepted')
  @Response<RepeatedView>(200, 'Refused by the klados')
  @Response<ErrorView>(404, 'Not found')
  async repeat(
    @Request() request: CallerRequest,
    @Path() job_id: string,
    @Body() body: RepeatBody,
  ): Promise<RepeatedView> {
    const answer = await this.reinvocations.repeat(request.caller, job_id, body.expires_in);
    if (!answer.accepted) this.setStatus(200);
    return answer;
  }
}
