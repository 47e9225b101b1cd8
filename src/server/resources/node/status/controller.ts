import { Get, Request, Response, Route, Tags } from '../../../http/controller.ts';
import type { HostRequest } from '../../../model/caller.ts';
import type { ErrorView } from '../../wire.ts';
import type { StatusService } from './service.ts';
import type { NodeStatusView } from './wire.ts';

@Route('node/status')
@Tags('Node')
@Response<ErrorView>(401, 'Unauthorized')
@Response<ErrorView>(403, 'Not the operator')
export class StatusController {
  private readonly service: StatusService;
  constructor(service: StatusService) {
    this.service = service;
  }

  /** What the node is and holds. */
  @Get()
  status(@Request() request: HostRequest): Promise<NodeStatusView> {
    return this.service.status(request.caller, request.headers.host ?? '');
  }
}
