import {
  Body,
  Controller,
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
import type { CollectionsService } from './service.ts';
import type {
  AddMemberBody,
  CatalogView,
  CollectionEntitiesView,
  CollectionRootView,
  CollectionSearchView,
  CollectionUpdatedView,
  CollectionView,
  CreateCollectionBody,
  CreateRoleBody,
  LookupView,
  MemberAddedView,
  MemberRemovedView,
  MembersView,
  RolesChangedView,
  SetRootBody,
  UpdateCollectionBody,
  UpdateRoleBody,
} from './wire.ts';

@Route('collections')
@Tags('Collections')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class CollectionsController extends Controller {
  private readonly collections: CollectionsService;
  constructor(collections: CollectionsService) {
    super();
    this.collections = collections;
  }

  /**
   * Create a collection; its creator becomes the owner. An exact replay of a request with `id` answers 200 with the
   * collection that it made.
   */
  @Post()
  @SuccessResponse(201, 'Created')
  @Response<CollectionView>(200, 'An exact replay')
  async create(
    @Request() request: CallerRequest,
    @Body() body: CreateCollectionBody,
    @Query() validate_relationships: 'true' | 'false' = 'true',
  ): Promise<CollectionView> {
    const answer = await this.collections.create(request.caller, body, validate_relationships === 'true');
    if (!answer.created) this.setStatus(200);
    return answer.collection;
  }

  /**
   * List all collections.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   * @isInt offset
   * @minimum offset 0
   */
  @Get('catalog')
  @NoSecurity()
  async catalog(
    @Request() request: CallerRequest,
    @Query() limit: number = 100,
    @Query() offset: number = 0,
  ): Promise<CatalogView> {
    return StoredJson.as<CatalogView>(await this.collections.find.catalog(request.caller, { limit, offset }));
  }

  /** Read a collection. */
  @Get('{id}')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async read(@Request() request: CallerRequest, @Path() id: EntityId): Promise<CollectionView> {
    return StoredJson.as<CollectionView>(await this.collections.read(request.caller, id));
  }

  /** Change a collection: removals first, then deep merges and additions. */
  @Put('{id}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateCollectionBody,
    @Query() validate_relationships: 'true' | 'false' = 'true',
  ): Promise<CollectionUpdatedView> {
    return this.collections.update(request.caller, id, body, validate_relationships === 'true');
  }

  /** Add a role. One that is there is a 400. */
  @Post('{id}/roles')
  @SuccessResponse(201, 'Created')
  @Response<ErrorView>(404, 'Not found')
  addRole(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: CreateRoleBody,
  ): Promise<RolesChangedView> {
    return this.collections.access.addRole(request.caller, id, body);
  }

  /**
   * Replace a role's actions.
   * @minLength role 1
   * @maxLength role 50
   */
  @Put('{id}/roles/{role}')
  @Response<ErrorView>(404, 'Not found')
  setRole(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Path() role: string,
    @Body() body: UpdateRoleBody,
  ): Promise<RolesChangedView> {
    return this.collections.access.setRole(request.caller, id, role, body.actions);
  }

  /**
   * Remove a role and with it its members; `public` stays.
   * @minLength role 1
   * @maxLength role 50
   */
  @Delete('{id}/roles/{role}')
  @SuccessResponse(200, 'Removed')
  @Response<ErrorView>(404, 'Not found')
  removeRole(@Request() request: CallerRequest, @Path() id: EntityId, @Path() role: string): Promise<RolesChangedView> {
    return this.collections.access.removeRole(request.caller, id, role);
  }

  /**
   * Who holds which role.
   * @param include_expired Whether memberships that have expired are listed too.
   */
  @Get('{id}/members')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  members(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() include_expired: 'true' | 'false' = 'false',
  ): Promise<MembersView> {
    return this.collections.access.members(request.caller, id, include_expired === 'true');
  }

  /** Give a user a role, or another expiry to one that is held. */
  @Post('{id}/members')
  @SuccessResponse(201, 'Created')
  @Response<ErrorView>(404, 'Not found')
  addMember(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: AddMemberBody,
  ): Promise<MemberAddedView> {
    return this.collections.access.addMember(request.caller, id, body);
  }

  /**
   * Take a role from a user; the last owner stays.
   * @param role The role to take.
   * @minLength role 1
   */
  @Delete('{id}/members/{userId}')
  @SuccessResponse(200, 'Removed')
  @Response<ErrorView>(404, 'Not found')
  removeMember(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Path() userId: EntityId,
    @Query() role: string,
  ): Promise<MemberRemovedView> {
    return this.collections.access.removeMember(request.caller, id, userId, role);
  }

  /** Set the root: an entity that lies in the collection. */
  @Put('{id}/root')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  setRoot(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: SetRootBody,
  ): Promise<CollectionRootView> {
    return this.collections.setRoot(request.caller, id, body);
  }

  /**
   * List the entities of a collection, newest created first.
   * @param type Only entities of this type.
   * @param filter JSON text of a metadata filter over properties that begin with an underscore, `type`, `created_at`
   * and `updated_at`.
   * @param limit With `expand` at most 100 are answered; `pagination.limit` says so.
   * @param offset Counted from the newest: for each entity that is deleted between two pages one of the others is on neither.
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 10000
   * @isLong offset
   * @minimum offset 0
   */
  @Get('{id}/entities')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async entities(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() type?: string,
    @Query() filter?: string,
    @Query() limit: number = 1000,
    @Query() offset: number = 0,
    @Query() expand?: 'preview' | 'full',
  ): Promise<CollectionEntitiesView> {
    const page = await this.collections.list(request.caller, id, { type, filter, limit, offset, expand });
    return page instanceof Uint8Array ? StoredJson.as<CollectionEntitiesView>(page) : page;
  }

  /**
   * Find entities by their exact label, or their type, or both; upper and lower case are one.
   * @param label The whole label
   * @minLength label 1
   * @minLength type 1
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get('{id}/entities/lookup')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async lookUp(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() label?: string,
    @Query() type?: string,
    @Query() limit: number = 100,
  ): Promise<LookupView> {
    const found = await this.collections.find.lookUp(request.caller, id, { label, type, limit });
    return StoredJson.as<LookupView>(found);
  }

  /**
   * Search a collection's entities by a part of their labels, upper and lower case being one, or for what is like an entity.
   * @param q The part; the first 500 characters of a label are searched
   * @param similar_to An entity that others are to be like, of this collection or not. Either `q` or this
   * @param type Only entities of this type, upper and lower case being one
   * @minLength q 1
   * @maxLength q 500
   * @minLength type 1
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 1000
   */
  @Get('{id}/entities/search')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  @Response<ErrorView>(503, 'Service unavailable')
  async search(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Query() q?: string,
    @Query() similar_to?: EntityId,
    @Query() type?: string,
    @Query() limit: number = 100,
  ): Promise<CollectionSearchView> {
    const found = await this.collections.find.search(request.caller, id, { q, similar_to, type, limit });
    return StoredJson.as<CollectionSearchView>(found);
  }
}
