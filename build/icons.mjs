// Makes the desktop's pictures from the page's icon, in out/icons: the application's (electron-builder makes the forms of
// each system from it), and the ones for the system's bar, with a mark for when somebody has to look.
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const folder = new URL('../out/icons/', import.meta.url);
const svg = readFileSync(new URL('../src/renderer/public/icon.svg', import.meta.url));
const mark = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="25" cy="7" r="6.5" fill="#e0662b" stroke="#fff" stroke-width="1.5"/></svg>',
);

const picture = (source, size) =>
  sharp(source, { density: (72 * size) / 32 })
    .resize(size, size)
    .png();
const file = (name) => fileURLToPath(new URL(name, folder));

mkdirSync(folder, { recursive: true });
await picture(svg, 1024).toFile(file('icon.png'));
for (const [scale, end] of [
  [1, ''],
  [2, '@2x'],
]) {
  const size = 16 * scale;
  await picture(svg, size).toFile(file(`tray${end}.png`));
  const dot = await picture(mark, size).toBuffer();
  await picture(svg, size)
    .composite([{ input: dot }])
    .toFile(file(`tray-attention${end}.png`));
}
