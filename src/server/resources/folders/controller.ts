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
import type { PairsService } from './pairs-service.ts';
import type { FoldersService } from './service.ts';
import type {
  AddChildBody,
  AddChildrenBody,
  AddParentBody,
  CreateFolderBody,
  FolderChildrenView,
  FolderChildView,
  FolderParentView,
  FolderUpdatedView,
  FolderView,
  RemoveChildBody,
  RemoveParentBody,
  UpdateFolderBody,
} from './wire.ts';

/** The services behind the folder endpoints. */
export interface FolderServices {
  folders: FoldersService;
  pairs: PairsService;
}

@Route('folders')
@Tags('Folders')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
export class FoldersController extends Controller {
  private readonly on: FolderServices;
  constructor(services: FolderServices) {
    super();
    this.on = services;
  }

  /**
   * Create a folder, in a parent too where one is named: both are written or none.
   * @param validate_relationships Whether the targets of relationships are looked for, at most 500; a folder may have more children
   */
  @Post()
  @SuccessResponse(201, 'Created')
  create(
    @Request() request: CallerRequest,
    @Body() body: CreateFolderBody,
    @Query() validate_relationships: 'true' | 'false' = 'false',
  ): Promise<FolderView> {
    return this.on.folders.create(request.caller, body, validate_relationships === 'true');
  }

  /** Read a folder with everything that it names. */
  @Get('{id}')
  @NoSecurity()
  @Response<ErrorView>(404, 'Not found')
  async read(@Request() request: CallerRequest, @Path() id: EntityId): Promise<FolderView> {
    return StoredJson.as<FolderView>(await this.on.folders.read(request.caller, id));
  }

  /**
   * Change a folder: removals first, then deep merges (of `metadata` too) and additions.
   * @param validate_relationships Whether the targets of relationships are looked for, at most 500; a folder may have more children
   */
  @Put('{id}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateFolderBody,
    @Query() validate_relationships: 'true' | 'false' = 'false',
  ): Promise<FolderUpdatedView> {
    return this.on.folders.update(request.caller, id, body, validate_relationships === 'true');
  }

  /** Put a file or folder into a folder. A child that is there already makes no version; a missing side is completed. */
  @Post('{id}/children')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'One of the tips is another one')
  addChild(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: AddChildBody,
  ): Promise<FolderChildView> {
    return this.on.pairs.addChild(request.caller, id, body);
  }

  /** Take a child out of a folder; what stands on one side only goes as well. */
  @Delete('{id}/children/{childId}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'One of the tips is another one')
  removeChild(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Path() childId: EntityId,
    @Body() body: RemoveChildBody,
  ): Promise<FolderChildView> {
    return this.on.pairs.removeChild(request.caller, id, childId, body);
  }

  /** Put up to 50 children into a folder, all or none; the tips of the children need not be known. */
  @Post('{id}/children/bulk')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'The tip is another one')
  addChildren(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: AddChildrenBody,
  ): Promise<FolderChildrenView> {
    return this.on.pairs.addChildren(request.caller, id, body);
  }

  /** Put a folder into a folder or collection. A parent that it is in already makes no version. */
  @Post('{id}/parents')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'One of the tips is another one')
  addParent(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: AddParentBody,
  ): Promise<FolderParentView> {
    return this.on.pairs.addParent(request.caller, id, body);
  }

  /** Take a folder out of a parent. */
  @Delete('{id}/parents/{parentId}')
  @Response<ErrorView>(404, 'Not found')
  @Response<ConflictView>(409, 'One of the tips is another one')
  removeParent(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Path() parentId: EntityId,
    @Body() body: RemoveParentBody,
  ): Promise<FolderParentView> {
    return this.on.pairs.removeParent(request.caller, id, parentId, body);
  }
}
