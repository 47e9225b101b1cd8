import { Get, Query, Request, Response, Route, Tags } from '../../../http/controller.ts';
import { StoredJson } from '../../../http/stored-json.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView, ValidationErrorView } from '../../wire.ts';
import type { ProcessorListService } from './service.ts';
import type { CommandsView, ProcessorLinesView } from './wire.ts';

/** What the node's page shows of processors. */
@Route('node')
@Tags('Node')
@Response<ValidationErrorView>(400, 'Validation failed')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class ProcessorListController {
  private readonly processors: ProcessorListService;
  constructor(processors: ProcessorListService) {
    this.processors = processors;
  }

  /**
   * The agents, kladoi and rhizai of all collections, by their labels.
   * @param q A part of the label, whatever its case, or an id
   * @maxLength q 200
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 200
   * @isInt offset
   * @minimum offset 0
   */
  @Get('processors')
  async list(
    @Request() request: CallerRequest,
    @Query() type?: 'agent' | 'klados' | 'rhiza',
    @Query() status?: 'development' | 'active' | 'disabled',
    @Query() q?: string,
    @Query() limit: number = 100,
    @Query() offset: number = 0,
  ): Promise<ProcessorLinesView> {
    const options = { type, status, q, limit, offset };
    return StoredJson.as<ProcessorLinesView>(await this.processors.list(request.caller, options));
  }

  /** The commands of this machine that kladoi with an `exec:` endpoint may run; `archeion processor allow` adds one. */
  @Get('commands')
  @Response<ErrorView>(503, 'The file of the allowed commands cannot be used')
  commands(@Request() request: CallerRequest): Promise<CommandsView> {
    return this.processors.commands(request.caller);
  }
}
