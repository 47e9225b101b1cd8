import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import express, { type RequestHandler, type Response, Router } from 'express';
import helmet from 'helmet';
import { docsPage } from './docs-page.ts';

/** Where a document has the word that its own styles carry. */
const place = '__STYLE_NONCE__';

/** The word of an answer, another one for each. */
function nonceOf(response: ServerResponse & { locals?: { nonce?: string } }): string {
  response.locals ??= {};
  response.locals.nonce ??= randomBytes(16).toString('base64url');
  return response.locals.nonce;
}

/** Pages load nothing from elsewhere, and no script or style applies that stands in them without being theirs. */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'img-src': ["'self'", 'data:', 'blob:'],
      // Files that the page has fetched and given a type of its own, so that none of them runs.
      'media-src': ["'self'", 'blob:'],
      'frame-src': ["'self'", 'blob:'],
      'style-src': ["'self'", (_request, response) => `'nonce-${nonceOf(response)}'`],
      // What one types over coloured text in an editor is given its style by Chromium itself, as an attribute.
      'style-src-attr': ["'unsafe-inline'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    },
  },
  // The node speaks HTTP on loopback; a proxy in front of it adds this where it speaks TLS.
  strictTransportSecurity: false,
});

/** The HTML pages: `/docs`, and the built page under `/ui/` where there is one. They need no credentials. */
export function pages({ ui }: { ui: string | null }): RequestHandler {
  const router = Router();
  let docs: string | undefined;
  router.get('/docs', protect, async (_request, response) => {
    docs ??= docsPage(JSON.parse((await import('../generated/openapi.ts')).openapi));
    sendHtml(response, docs);
  });
  if (ui !== null) {
    router.get('/ui', (request, response, next) => {
      if (request.path === '/ui') response.redirect(308, '/ui/');
      else next();
    });
    const document: RequestHandler = async (_request, response, next) => {
      const html = await readFile(join(ui, 'index.html'), 'utf8').catch(() => null);
      if (html === null) next();
      else sendHtml(response, html);
    };
    router.get(['/ui/', '/ui/index.html'], protect, document);
    router.use('/ui', protect, express.static(ui, { dotfiles: 'ignore', index: false, setHeaders: cacheAssets }));
    // The page's own addresses (`/ui/entities/...`) are all the one document.
    router.get('/ui/*path', protect, (request, response, next) => {
      if (/\.[a-z0-9]+$/i.test(request.path)) next();
      else return document(request, response, next);
    });
  }
  router.get('/', (_request, response) => response.redirect(302, ui === null ? '/docs' : '/ui/'));
  const prefixes = ['/docs', '/ui'];
  return (request, response, next) => {
    if (
      request.path === '/' ||
      prefixes.some((prefix) => request.path === prefix || request.path.startsWith(`${prefix}/`))
    )
      router(request, response, next);
    else next();
  };
}

function sendHtml(response: Response, html: string): void {
  response.set('Content-Type', 'text/html; charset=utf-8').set('Cache-Control', 'no-cache');
  response.send(html.replace(place, nonceOf(response)));
}

/** Built assets carry a hash in their names; the document does not. */
function cacheAssets(response: { setHeader(name: string, value: string): unknown }, path: string): void {
  const hashed = /[-.][\w-]{8}\.(?:js|css|woff2?|svg|png)$/.test(path);
  response.setHeader('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
}
