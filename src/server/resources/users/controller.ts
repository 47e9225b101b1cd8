import {
  Body,
  Delete,
  Get,
  NoSecurity,
  Path,
  Post,
  Put,
  Query,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ConflictView, EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { UsersService } from './service.ts';
import type {
  CreatedUserKeyView,
  CreateUserKeyBody,
  MyCollectionsView,
  UpdateUserBody,
  UserCollectionsView,
  UserKeysView,
  UserUpdatedView,
  UserView,
} from './wire.ts';

@Route('users')
@Tags('Users')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class UsersController {
  private readonly users: UsersService;
  constructor(users: UsersService) {
    this.users = users;
  }

  /** The caller's own user. */
  @Get('me')
  async me(@Request() request: CallerRequest): Promise<UserView> {
    return StoredJson.as<UserView>(await this.users.me(request.caller));
  }

  /** The caller's API keys, without what is secret in them. */
  @Get('me/keys')
  keys(@Request() request: CallerRequest): UserKeysView {
    return this.users.keys(request.caller);
  }

  /** Make an API key; it is shown only in this answer. */
  @Post('me/keys')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @SuccessResponse(201, 'Created')
  createKey(@Request() request: CallerRequest, @Body() body: CreateUserKeyBody): CreatedUserKeyView {
    return this.users.createKey(request.caller, body);
  }

  /**
   * Revoke an API key; from then on it is refused.
   * @param prefix The first characters of the key; they must fit one key only.
   * @minLength prefix 4
   * @maxLength prefix 12
   */
  @Delete('me/keys/{prefix}')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @SuccessResponse(204, 'Revoked')
  @Response<ErrorView>(404, 'Not found')
  revokeKey(@Request() request: CallerRequest, @Path() prefix: string): void {
    this.users.revokeKey(request.caller, prefix);
  }

  /**
   * The collections in which the caller holds a role, with all of them. Roles of groups or of everyone do not count.
   * @param role Only where one of these is held, comma-separated
   * @param include_expired Whether memberships that have expired count too
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   * @isInt offset
   * @minimum offset 0
   */
  @Get('my/collections')
  @Response<ValidationErrorView>(400, 'Validation failed')
  async myCollections(
    @Request() request: CallerRequest,
    @Query() role?: string,
    @Query() include_expired: 'true' | 'false' = 'false',
    @Query() limit: number = 100,
    @Query() offset: number = 0,
  ): Promise<MyCollectionsView> {
    const options = { role, includeExpired: include_expired === 'true', limit, offset };
    return StoredJson.as<MyCollectionsView>(await this.users.memberships.mine(request.caller, options));
  }

  /** Read a user. */
  @Get('{id}')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async read(@Request() request: CallerRequest, @Path() id: EntityId): Promise<UserView> {
    return StoredJson.as<UserView>(await this.users.read(request.caller, id));
  }

  /** Change a user: removals first, then deep merges and additions. Only that user may. */
  @Put('{id}')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateUserBody,
  ): Promise<UserUpdatedView> {
    return this.users.update(request.caller, id, body);
  }

  /**
   * The collections in which a user holds a role now.
   * @param predicate Only this role, such as `owner` or `editor`.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   * @isLong offset
   * @minimum offset 0
   */
  @Get('{id}/collections')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async collections(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() predicate?: string,
    @Query() limit: number = 100,
    @Query() offset: number = 0,
  ): Promise<UserCollectionsView> {
    const query = { predicate, limit, offset };
    return StoredJson.as<UserCollectionsView>(await this.users.collections(request.caller, id, query));
  }
}
