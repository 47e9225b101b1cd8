import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { envToCfg, envToSecrets, PDS, readEnv } from '@atproto/pds';
import express from 'express';
import { freePort } from '../../../helpers/free-port.ts';

// A personal data server of the AT Protocol. The public directory of identities that it registers its accounts with is
// stood in for by a few lines, since nothing is reached from here.
const [folder = ''] = process.argv.slice(2);
const port = await freePort();
const directoryPort = await freePort();
mkdirSync(join(folder, 'blobs'), { recursive: true });

const operations = new Map<string, Record<string, unknown>>();
const directory = express();
directory.use(express.json());
directory.post('/:did', (request, response) => {
  operations.set(request.params.did, request.body as Record<string, unknown>);
  response.json({});
});
directory.get('/:did', (request, response) => {
  const operation = operations.get(request.params.did);
  response.status(operation ? 200 : 404).json(operation ? document(request.params.did, operation) : {});
});
directory.get('/:did/data', (request, response) => {
  response.json({ did: request.params.did, ...operations.get(request.params.did) });
});
directory.listen(directoryPort, '127.0.0.1');

const secret = () => randomBytes(32).toString('hex');
const env = {
  ...readEnv(),
  hostname: 'localhost',
  port,
  dataDirectory: folder,
  blobstoreDiskLocation: join(folder, 'blobs'),
  didPlcUrl: `http://127.0.0.1:${directoryPort}`,
  plcRotationKeyK256PrivateKeyHex: secret(),
  dpopSecret: secret(),
  jwtSecret: secret(),
  adminPassword: secret(),
  inviteRequired: false,
  rateLimitsEnabled: false,
  disableSsrfProtection: true,
  devMode: true,
};
const pds = await PDS.create(envToCfg(env), envToSecrets(env));
await pds.start();
process.stdout.write(`${JSON.stringify({ ready: { url: `http://127.0.0.1:${port}` } })}\n`);
process.on('SIGTERM', () => void pds.destroy().then(() => process.exit(0)));

/** What resolving an identity answers. */
function document(did: string, { verificationMethods, alsoKnownAs, services }: Record<string, unknown>): object {
  const { atproto } = verificationMethods as { atproto: string };
  const { atproto_pds } = services as { atproto_pds: { endpoint: string } };
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs,
    verificationMethod: [
      { id: `${did}#atproto`, type: 'Multikey', controller: did, publicKeyMultibase: atproto.replace('did:key:', '') },
    ],
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: atproto_pds.endpoint }],
  };
}
