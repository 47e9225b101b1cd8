import { signIn } from './sign-in.ts';

/** What the page says about the node that served it. */
async function nodeState(): Promise<string> {
  try {
    const response = await fetch('../health');
    return response.ok ? 'The node is running.' : `The node answers with status ${response.status}.`;
  } catch {
    return 'The node does not answer.';
  }
}

async function tellWhoAsks(): Promise<void> {
  const said = await signIn().catch(() => '');
  const line = document.querySelector('#session');
  if (line) line.textContent = said;
}

// A link opened where the page is shown already changes the fragment only.
window.addEventListener('hashchange', () => void tellWhoAsks());
const told = tellWhoAsks();
const line = document.querySelector('#state');
if (line) line.textContent = await nodeState();
await told;
