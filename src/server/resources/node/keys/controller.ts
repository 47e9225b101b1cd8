import { Body, Post, Request, Response, Route, SuccessResponse, Tags } from '../../../http/controller.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { NodeKeysService } from './service.ts';
import type { CreateNodeKeyBody, NodeKeyView } from './wire.ts';

@Route('node/keys')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class NodeKeysController {
  private readonly keys: NodeKeysService;
  constructor(keys: NodeKeysService) {
    this.keys = keys;
  }

  /** Make a key of the operator's, or with `service` one of the service account's. */
  @Post()
  @SuccessResponse(201, 'Created')
  create(@Request() request: CallerRequest, @Body() body: CreateNodeKeyBody): NodeKeyView {
    return this.keys.create(request.caller, body);
  }
}
