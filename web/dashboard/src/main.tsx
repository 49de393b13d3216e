// Where the dashboard starts: styles, the providers around every page, and the router.
import '@mantine/core/styles.layer.css';
import './app/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './app/queries.ts';
import { router } from './app/routes.tsx';
import { styleNonce } from './app/style-nonce.ts';
import { theme } from './app/theme.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
