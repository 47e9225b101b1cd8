import {
  Body,
  Get,
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
import type { UpdatesService } from './service.ts';
import type { AdditiveBody, AdditiveView, UpdateQueueView } from './wire.ts';

@Route('updates')
@Tags('Entities')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class UpdatesController {
  private readonly updates: UpdatesService;
  constructor(updates: UpdatesService) {
    this.updates = updates;
  }

  /**
   * Add to up to 1,000 entities without knowing their tips: properties are merged, relationships added, nothing is
   * removed. The answer is given when the updates are on disk; they are applied soon after, also if the node stops in
   * between. What waits for one entity from one caller becomes one version. Where the caller may not update one of the
   * entities, nothing is queued. Permission is checked again when an update is applied. The updates of two callers for
   * one entity have no order among each other.
   * @param validate_relationships Whether the targets of relationships are looked for; what has a missing one, or more than 500, has failed then
   */
  @Post('additive')
  @SuccessResponse(202, 'Queued')
  @Response<ErrorView>(503, 'Too many updates wait')
  add(
    @Request() request: CallerRequest,
    @Body() body: AdditiveBody,
    @Query() validate_relationships: 'true' | 'false' = 'false',
  ): Promise<AdditiveView> {
    return this.updates.queue(request.caller, body, validate_relationships === 'true');
  }

  /** What became of an entity's additive updates. */
  @Get('queue/{id}')
  @SuccessResponse(200, 'OK')
  @Response<ErrorView>(404, 'Not found')
  waiting(@Request() request: CallerRequest, @Path() id: EntityId): Promise<UpdateQueueView> {
    return this.updates.waiting(request.caller, id);
  }
}
