import './mend-json.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { onKeyDown } from './commands/commands.ts';
import { TextsProvider } from './messages/texts.tsx';
import { router } from './router.tsx';
import { sessionQuery } from './session/session.ts';
import './style-nonce.ts';

const queries = createQueryClient();

document.addEventListener('keydown', onKeyDown);
// A link opened where the page is shown already changes the fragment only.
window.addEventListener('hashchange', () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }));

const place = document.querySelector('#page');
if (place)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <TextsProvider>
          <RouterProvider router={router} />
        </TextsProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
