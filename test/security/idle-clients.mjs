// Opens connections to a port of this machine and says nothing on them, as a process of its own: PORT COUNT. Says how many
// were opened, then at each line of stdin how many of them the other side has closed.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [port, count] = process.argv.slice(2).map(Number);
const atOnce = 200;
let opened = 0;
let closed = 0;
let begun = 0;

function open() {
  begun += 1;
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = () => {
      resolve();
      socket.off('connect', settle);
    };
    socket.once('connect', () => {
      opened += 1;
    });
    socket.once('connect', settle);
    socket.on('error', settle);
    socket.once('close', () => {
      closed += 1;
    });
    socket.resume();
  });
}

async function openSome() {
  while (begun < count) await open();
}
await Promise.all(Array.from({ length: atOnce }, openSome));
console.log(JSON.stringify({ opened }));
createInterface({ input: process.stdin }).on('line', () => console.log(JSON.stringify({ closed })));
