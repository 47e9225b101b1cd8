import { Controller, Get, NoSecurity, Produces, Response, Route, Tags } from '../../http/controller.ts';
import { StoredJson } from '../../http/stored-json.ts';
import type { ErrorView } from '../wire.ts';
import type { SystemService } from './service.ts';
import type { Health, NodeCard, SigningKeyView } from './wire.ts';

@Route('')
@Tags('System')
@NoSecurity()
export class SystemController extends Controller {
  private readonly system: SystemService;
  constructor(system: SystemService) {
    super();
    this.system = system;
  }

  /** Whether the node runs: 503 while it ends. It looks at no header: credentials and network make no difference. */
  @Response<ErrorView>(503, 'The node is ending')
  @Get('health')
  health(): Health {
    return this.system.health();
  }

  /** What another node asks before it syncs with this one. */
  @Get('.well-known/archeion')
  card(): NodeCard {
    return this.system.card();
  }

  /** The key that the node signs with. */
  @Get('.well-known/signing-key')
  signingKey(): SigningKeyView {
    return this.system.signingKey();
  }

  /** The OpenAPI document of this interface. */
  @Get('openapi.json')
  async openapi(): Promise<Record<string, unknown>> {
    return StoredJson.as(await this.system.openapi());
  }

  /** A digest of this interface for language models. */
  @Get('ops-reference')
  @Produces('text/plain')
  async opsReference(): Promise<string> {
    this.setHeader('Content-Type', 'text/plain; charset=utf-8');
    return StoredJson.as<string>(await this.system.opsReference());
  }
}
