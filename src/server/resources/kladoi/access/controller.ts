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
import type { ProcessorKeysService } from '../../processors/keys-service.ts';
import type { VerificationService } from '../../processors/verification-service.ts';
import type {
  CreatedKeyView,
  CreateKeyBody,
  KeysView,
  TokenView,
  UnverifiedView,
  VerifiedView,
  VerifyBody,
} from '../../processors/wire.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';

interface KladosTokenView extends TokenView {
  klados_id: EntityId;
}

/** Who acts as a klados, and where it answers. */
@Route('kladoi')
@Tags('Kladoi')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
export class KladosAccessController {
  private readonly keys: ProcessorKeysService;
  private readonly verification: VerificationService;
  constructor(on: { keys: ProcessorKeysService; verification: VerificationService }) {
    this.keys = on.keys;
    this.verification = on.verification;
  }

  /** The keys of a klados, without what is secret in them. */
  @Get('{id}/keys')
  listKeys(@Request() request: CallerRequest, @Path() id: EntityId): Promise<KeysView> {
    return this.keys.list(request.caller, 'klados', id);
  }

  /** Make a key that acts as a klados; it is shown only in this answer. */
  @Post('{id}/keys')
  @SuccessResponse(201, 'Created')
  createKey(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: CreateKeyBody,
  ): Promise<CreatedKeyView> {
    return this.keys.create(request.caller, 'klados', id, body);
  }

  /**
   * Revoke a key; from then on it is refused.
   * @param prefix The first characters of the key; they must fit one key only.
   * @minLength prefix 4
   * @maxLength prefix 12
   */
  @Delete('{id}/keys/{prefix}')
  @SuccessResponse(204, 'Revoked')
  revokeKey(@Request() request: CallerRequest, @Path() id: EntityId, @Path() prefix: string): Promise<void> {
    return this.keys.revoke(request.caller, 'klados', id, prefix);
  }

  /** Verify the endpoint of a klados; first for the token that it is to serve, then with `confirm` to have it asked. */
  @Post('{id}/verify')
  @SuccessResponse(200, 'The token, or what came of asking')
  async verify(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: VerifyBody,
  ): Promise<KladosTokenView | VerifiedView | UnverifiedView> {
    const outcome = await this.verification.verify(request.caller, 'klados', id, body.confirm ?? false);
    if ('verified' in outcome) return outcome;
    const { id: klados_id, ...challenge } = outcome;
    return { ...challenge, klados_id };
  }
}
