import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { queryClient } from './api/query-client.ts';
import { FaultBoundary } from './components/fault-boundary.tsx';
import { SiteRoutes } from './routes.tsx';
import { styleNonce } from './theme/style-nonce.ts';
import { colorSchemeManager, cssVariables, theme } from './theme/theme.ts';

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <FaultBoundary>
            <SiteRoutes />
          </FaultBoundary>
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
