import { Body, Post, Request, Response, Route, SuccessResponse, Tags } from '../../http/controller.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { RelationshipsService } from '../relationships/service.ts';
import type { ConnectBody, ConnectedView, DisconnectBody } from '../relationships/wire.ts';
import type { ConflictView, ErrorView, ValidationErrorView } from '../wire.ts';

@Route('connect')
@Tags('Relationships')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
@Response<ConflictView>(409, 'The tip is another one')
export class ConnectController {
  private readonly relationships: RelationshipsService;
  constructor(relationships: RelationshipsService) {
    this.relationships = relationships;
  }

  /** Link one entity to another, one way; only the source is written. The predicate is `connects_to` if omitted. */
  @Post()
  @SuccessResponse(201, 'Created')
  connect(@Request() request: CallerRequest, @Body() body: ConnectBody): Promise<ConnectedView> {
    return this.relationships.connect(request.caller, body, 'add');
  }

  /** Take such a link away; only the source is written. The predicate is `connects_to` if omitted. */
  @Post('disconnect')
  @SuccessResponse(200, 'Unlinked')
  disconnect(@Request() request: CallerRequest, @Body() body: DisconnectBody): Promise<ConnectedView> {
    return this.relationships.connect(request.caller, body, 'remove');
  }
}
