import { Get, NoSecurity, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { SystemService } from './service.ts';
import type { Health, NodeCard } from './wire.ts';

@Route('')
@Tags('System')
@NoSecurity()
export class SystemController {
  private readonly system: SystemService;
  constructor(system: SystemService) {
    this.system = system;
  }

  /** Whether the node runs. */
  @Get('health')
  health(): Health {
    return this.system.health();
  }

  /** What another node asks before it syncs with this one. */
  @Get('.well-known/archeion')
  card(): NodeCard {
    return this.system.card();
  }

  /** This document. */
  @Get('openapi.json')
  openapi(): Record<string, unknown> {
    return StoredJson.as(this.system.openapi());
  }
}
