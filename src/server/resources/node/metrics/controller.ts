import { Controller, Get, Produces, Request, Response, Route, Tags } from '../../../http/controller.ts';
import { StoredJson } from '../../../http/stored-json.ts';
import type { CallerRequest } from '../../../model/caller.ts';
import type { ErrorView } from '../../wire.ts';
import type { MetricsService } from './service.ts';

@Route('metrics')
@Tags('System')
export class MetricsController extends Controller {
  private readonly metrics: MetricsService;
  constructor(metrics: MetricsService) {
    super();
    this.metrics = metrics;
  }

  /**
   * What the node does, in numbers, as Prometheus reads them: the process, requests, commits, and for the operator how
   * things stand with each remote.
   */
  @Get()
  @Produces('text/plain')
  @Response<ErrorView>(401, 'Unauthorized')
  @Response<ErrorView>(403, 'Not registered')
  async read(@Request() request: CallerRequest): Promise<string> {
    this.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
    return StoredJson.as<string>(await this.metrics.text(request.caller));
  }
}
