import { Body, Delete, Post, Request, Response, Route, SuccessResponse, Tags } from '../../http/controller.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ConflictView, ErrorView, ValidationErrorView } from '../wire.ts';
import type { RelationshipsService } from './service.ts';
import type { RelationshipPairBody, RelationshipPairView } from './wire.ts';

@Route('relationships')
@Tags('Relationships')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
@Response<ConflictView>(409, 'The tip is another one')
export class RelationshipsController {
  private readonly relationships: RelationshipsService;
  constructor(relationships: RelationshipsService) {
    this.relationships = relationships;
  }

  /** Link two entities, in both directions when `target_predicate` is given. */
  @Post()
  @SuccessResponse(201, 'Created')
  add(@Request() request: CallerRequest, @Body() body: RelationshipPairBody): Promise<RelationshipPairView> {
    return this.relationships.write(request.caller, body, 'add');
  }

  /**
   * Unlink two entities, in both directions when `target_predicate` is given. What is not linked is no error; a version
   * is made like by every update.
   */
  @Delete()
  remove(@Request() request: CallerRequest, @Body() body: RelationshipPairBody): Promise<RelationshipPairView> {
    return this.relationships.write(request.caller, body, 'remove');
  }
}
