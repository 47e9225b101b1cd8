import { Get, NoSecurity, Path, Request, Response, Route, Tags } from '../../http/controller.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { PermissionsService } from './service.ts';
import type { EntityPermissionsView, PermissionMetadataView } from './wire.ts';

@Route('')
@Tags('Permissions')
export class PermissionsController {
  private readonly permissions: PermissionsService;
  constructor(permissions: PermissionsService) {
    this.permissions = permissions;
  }

  /** Every action, what implies what, and the default roles. */
  @Get('permissions')
  @NoSecurity()
  @Response<ErrorView>(401, 'Unauthorized')
  metadata(): PermissionMetadataView {
    return this.permissions.metadata();
  }

  /** What the caller may do with an entity, and why. */
  @Get('entities/{id}/permissions')
  @Response<ValidationErrorView>(400, 'Validation failed')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Forbidden')
  @Response<ErrorView>(404, 'Not found')
  entity(@Request() request: CallerRequest, @Path() id: EntityId): Promise<EntityPermissionsView> {
    return this.permissions.describe(request.caller, id);
  }
}
