import {
  Body,
  Delete,
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
import type { CallerRequest } from '../../../model/caller.ts';
import type { Email, InvitedView, InviteRevokedView } from '../../alpha/wire.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../../wire.ts';
import type { PeopleService } from './service.ts';
import type { GrantsView, NodeInviteBody, NodeInvitesView, PeopleView } from './wire.ts';

@Route('node')
@Tags('Node')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class PeopleController {
  private readonly service: PeopleService;
  constructor(service: PeopleService) {
    this.service = service;
  }

  /**
   * Who is registered on this node.
   * @param q A part of the name or the address, or the id
   * @param collection In which they are to get a role
   * @maxLength q 500
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get('people')
  @Response<ValidationErrorView>(400, 'Validation failed')
  people(
    @Request() request: CallerRequest,
    @Query() q: string = '',
    @Query() limit: number = 20,
    @Query() collection?: EntityId,
  ): Promise<PeopleView> {
    return this.service.people(request.caller, { part: q, limit, ...(collection !== undefined && { collection }) });
  }

  /** What a role may hold: every action and wildcard, with the actions that each allows. */
  @Get('grants')
  grants(@Request() request: CallerRequest): GrantsView {
    return this.service.grants(request.caller);
  }

  /**
   * Who is invited to register on this node, or waits for it.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   * @isLong offset
   * @minimum offset 0
   */
  @Get('invites')
  @Response<ValidationErrorView>(400, 'Validation failed')
  invites(
    @Request() request: CallerRequest,
    @Query() limit: number = 200,
    @Query() offset: number = 0,
  ): NodeInvitesView {
    return this.service.invites(request.caller, { limit, offset });
  }

  /** Invite an address to register. One whose invite was revoked, or that waits for one, can be invited again. */
  @Post('invites')
  @SuccessResponse(201, 'Created')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(409, 'The address has an invite')
  invite(@Request() request: CallerRequest, @Body() body: NodeInviteBody): InvitedView {
    return this.service.invite(request.caller, body.email);
  }

  /** Revoke the invite of an address. Whoever has registered with it stays registered; the address can be invited again. */
  @Delete('invites/{email}')
  @SuccessResponse(200, 'Revoked')
  @Response<ValidationErrorView>(400, 'Validation failed')
  revoke(@Request() request: CallerRequest, @Path() email: Email): InviteRevokedView {
    return this.service.revoke(request.caller, email);
  }
}
