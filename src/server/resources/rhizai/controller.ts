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
import type { RhizaiService } from './service.ts';
import type { CreateRhizaBody, RhizaUpdatedView, RhizaView, UpdateRhizaBody } from './wire.ts';

@Route('rhizai')
@Tags('Rhizai')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Forbidden')
@Response<ErrorView>(404, 'Not found')
export class RhizaiController extends Controller {
  private readonly rhizai: RhizaiService;
  constructor(rhizai: RhizaiService) {
    super();
    this.rhizai = rhizai;
  }

  /** Register a rhiza; it begins in `development`. An exact replay of a request with `id` answers 200 with what it made. */
  @Post()
  @SuccessResponse(201, 'Created')
  @Response<RhizaView>(200, 'The same request made it before')
  async create(@Request() request: CallerRequest, @Body() body: CreateRhizaBody): Promise<RhizaView> {
    const { created, manifest } = await this.rhizai.create(request.caller, body);
    if (!created) this.setStatus(200);
    return manifest as RhizaView;
  }

  /** Read a rhiza. */
  @Get('{id}')
  @NoSecurity()
  async read(@Request() request: CallerRequest, @Path() id: EntityId): Promise<RhizaView> {
    return StoredJson.as<RhizaView>(await this.rhizai.read(request.caller, id));
  }

  /** Change a rhiza: removals first, then what is given. */
  @Put('{id}')
  @Response<ConflictView>(409, 'The tip is another one')
  async update(
    @Request() request: CallerRequest,
    @Path() id: EntityId,
    @Body() body: UpdateRhizaBody,
  ): Promise<RhizaUpdatedView> {
    return (await this.rhizai.update(request.caller, id, body)) as RhizaUpdatedView;
  }
}
