/** What the page says about the node that served it. */
async function nodeState(): Promise<string> {
  try {
    const response = await fetch('../health');
    return response.ok ? 'The node is running.' : `The node answers with status ${response.status}.`;
  } catch {
    return 'The node does not answer.';
  }
}

const line = document.querySelector('#state');
if (line) line.textContent = await nodeState();
