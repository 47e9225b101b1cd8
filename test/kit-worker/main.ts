// A klados of one's own, complete: it counts the words of documents. `npm run build` makes the kit; a program outside of this
// repository imports it `from 'archeion/kit'`. Started with what the node gave when the klados was registered:
//   PORT=9001 NODE_URL=http://127.0.0.1:4747 KLADOS_ID=... KLADOS_KEY=ak_... VERIFICATION_TOKEN=vt_... node main.ts
import { Kit } from '../../src/server/kit/kit.ts';
import { countWords } from './count-words.ts';

const {
  PORT = '0',
  NODE_URL = 'http://127.0.0.1:4747',
  NETWORK = 'main',
  KLADOS_ID = '',
  KLADOS_KEY = '',
} = process.env;

const kit = new Kit(
  {
    url: NODE_URL,
    network: NETWORK === 'test' ? 'test' : 'main',
    klados: KLADOS_ID,
    key: KLADOS_KEY,
    label: 'Word counter',
    onFault: (job, error) => console.error(job.job_id, error),
  },
  countWords,
);
// The token is needed only until the endpoint is verified.
const worker = await kit.serve({ port: Number(PORT), verificationToken: process.env.VERIFICATION_TOKEN ?? null });
process.once('SIGTERM', () => void worker.close());
console.log(JSON.stringify({ ready: { url: worker.url } }));
