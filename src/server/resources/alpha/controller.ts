import {
  Body,
  Delete,
  Get,
  Path,
  Post,
  Query,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { ErrorView, ValidationErrorView } from '../wire.ts';
import type { InvitesService } from './service.ts';
import type { Email, InviteBody, InvitedView, InviteRevokedView, InvitesView } from './wire.ts';

@Route('alpha')
@Tags('Invites')
@Security('alphaSecret')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(429, 'Too many wrong secrets from this address')
@Response<ErrorView>(500, 'Internal server error')
export class AlphaController {
  private readonly invites: InvitesService;
  constructor(invites: InvitesService) {
    this.invites = invites;
  }

  /** Invite an address. One whose invite was revoked, or that waits for one, can be invited again. */
  @Post('invite')
  @SuccessResponse(201, 'Created')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(409, 'The address has an invite')
  invite(@Body() body: InviteBody): InvitedView {
    return this.invites.invite(body);
  }

  /**
   * All invites, or a page of them.
   * @param limit All without it
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 10000
   * @isLong offset
   * @minimum offset 0
   */
  @Get('invites')
  @Response<ValidationErrorView>(400, 'Validation failed')
  async list(@Query() limit?: number, @Query() offset: number = 0): Promise<InvitesView> {
    return StoredJson.as(await this.invites.list({ limit: limit ?? null, offset }));
  }

  /** Revoke the invite of an address. Whoever has registered with it stays registered; the address can be invited again. */
  @Delete('invite/{email}')
  @Response<ValidationErrorView>(400, 'Validation failed')
  revoke(@Path() email: Email): InviteRevokedView {
    return this.invites.revoke(email);
  }
}
