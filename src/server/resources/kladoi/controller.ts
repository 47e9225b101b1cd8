import {
  Body,
  Controller,
  Get,
  NoSecurity,
  Path,
  Post,
  Put,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { CallerRequest } from '../../model/caller.ts';
import type { ConflictView, EntityId, ErrorView, ValidationErrorView } from '../wire.ts';
import type { KladoiService } from './service.ts';
import type { CreateKladosBody, KladosUpdatedView, KladosView, UpdateKladosBody } from './wire.ts';

@Route('kladoi')
@Tags('Kladoi')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
export class KladoiController extends Controller {
  private readonly kladoi: KladoiService;
  constructor(kladoi: KladoiService) {
    super();
    this.kladoi = kladoi;
  }

  /** Register a klados; it begins in `development`. An exact replay of a request with `id` answers 200 with what it made. */
  @Post()
  @SuccessResponse(201, 'Created')
  @Response<KladosView>(200, 'The same request made it before')
  async create(@Request() request: CallerRequest, @Body() body: CreateKladosBody): Promise<KladosView> {
    const { created, manifest } = await this.kladoi.create(request.caller, body);
    if (!created) this.setStatus(200);
    return manifest as KladosView;
  }

  /** Read a klados. */
  @Get('{id}')
  @NoSecurity()
  async read(@Request() request: CallerRequest, @Path() id: EntityId): Promise<KladosView> {
    return StoredJson.as<KladosView>(await this.kladoi.read(request.caller, id));
  }

  /** Change a klados: removals first, then what is given. */
  @Put('{id}')
  @Response<ConflictView>(409, 'The tip is another one')
  async update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateKladosBody,
  ): Promise<KladosUpdatedView> {
    return (await this.kladoi.update(request.caller, id, body)) as KladosUpdatedView;
  }
}
