import {
  Body,
  Delete,
  Get,
  Path,
  Post,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../../http/controller.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { NodeKeysService } from './service.ts';
import type { CreateNodeKeyBody, NodeKeysView, NodeKeyView } from './wire.ts';

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

  /** The keys of the operator and of the service account that are not revoked; the operator's own key is not among them. */
  @Get()
  list(@Request() request: CallerRequest): NodeKeysView {
    return this.keys.list(request.caller);
  }

  /**
   * Revoke one of them; from then on it is refused.
   * @param prefix The first characters of the key; they must fit one key only.
   * @minLength prefix 4
   * @maxLength prefix 12
   */
  @Delete('{prefix}')
  @SuccessResponse(204, 'Revoked')
  @Response<ErrorView>(404, 'Not found')
  revoke(@Request() request: CallerRequest, @Path() prefix: string): void {
    this.keys.revoke(request.caller, prefix);
  }
}
