import { Body, Get, Path, Post, Query, Request, Response, Route, Tags } from '../../../http/controller.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ConflictView, EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';
import type { ConflictsService } from './service.ts';
import type { ConflictsView, OpenConflictView, ResolveBody, ResolvedView } from './wire.ts';

@Route('node/conflicts')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class ConflictsController {
  private readonly conflicts: ConflictsService;
  constructor(conflicts: ConflictsService) {
    this.conflicts = conflicts;
  }

  /**
   * Entities that were changed in the same place here and at a remote since their last common version. Neither side has
   * lost anything; nothing of them is pushed until somebody decides.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get()
  list(@Request() request: CallerRequest, @Query() limit: number = 100): Promise<ConflictsView> {
    return this.conflicts.list(request.caller, limit);
  }

  /**
   * One conflict: the three versions, the places that both changed, and what the rest merges to.
   * @param remote Which, where there are several about one entity.
   */
  @Get('{id}')
  @Response<ErrorView>(404, 'No conflict')
  read(@Request() request: CallerRequest, @Path() id: EntityId, @Query() remote?: string): Promise<OpenConflictView> {
    return this.conflicts.read(request.caller, id, remote);
  }

  /**
   * Decide a conflict: one version is made over the other side's, with everything that did not clash merged; it goes to
   * the remote with the next sync. What it replaces stays in the history.
   */
  @Post('{id}/resolve')
  @Response<ErrorView>(404, 'No conflict')
  @Response<ConflictView>(409, 'A side has moved since it was looked at')
  resolve(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: ResolveBody,
    @Query() remote?: string,
  ): Promise<ResolvedView> {
    return this.conflicts.resolve(request.caller, id, remote, body);
  }
}
