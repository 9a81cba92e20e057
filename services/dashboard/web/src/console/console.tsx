import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link, Navigate, Route, Routes } from 'react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { page } from '../lazy-page.ts';
import { NotFoundPage } from '../pages/not-found-page.tsx';
import { useSession } from '../session/use-session.ts';
import { PageOutlet } from '../shell/page-outlet.tsx';
import { SignedInShell } from '../shell/signed-in-shell.tsx';
import { CONSOLE_SECTIONS, ConsoleNavigation } from './console-navigation.tsx';
import { SearchProvider } from './search/search-provider.tsx';

const OverviewPage = page(() => import('./overview/overview-page.tsx'), 'OverviewPage');
const RequestsPage = page(() => import('./requests/requests-page.tsx'), 'RequestsPage');
const RequestPage = page(() => import('./requests/request-page.tsx'), 'RequestPage');
const FleetPage = page(() => import('./fleet/fleet-page.tsx'), 'FleetPage');
const ConsolePlaygroundPage = page(
  () => import('./playground/console-playground-page.tsx'),
  'ConsolePlaygroundPage',
);
const ConsoleAuditPage = page(() => import('./audit/console-audit-page.tsx'), 'ConsoleAuditPage');

const InstallationWebhooksPage = page(
  () => import('../pages/webhooks/webhooks-page.tsx'),
  'InstallationWebhooksPage',
);
const InstallationWebhookPage = page(
  () => import('../pages/webhooks/webhook-page.tsx'),
  'InstallationWebhookPage',
);
const ProvidersPage = page(() => import('./providers/providers-page.tsx'), 'ProvidersPage');
const ProviderPage = page(() => import('./providers/provider-page.tsx'), 'ProviderPage');
const ModelsPage = page(() => import('./models/models-page.tsx'), 'ModelsPage');
const ModelPage = page(() => import('./models/model-page.tsx'), 'ModelPage');
const CatalogPage = page(() => import('./catalog/catalog-page.tsx'), 'CatalogPage');
const CatalogVersionsPage = page(() => import('./catalog/versions-page.tsx'), 'CatalogVersionsPage');
const CatalogVersionPage = page(() => import('./catalog/version-page.tsx'), 'CatalogVersionPage');
const PriceListsPage = page(() => import('./price-lists/price-lists-page.tsx'), 'PriceListsPage');
const PriceListPage = page(() => import('./price-lists/price-list-page.tsx'), 'PriceListPage');
const AccountsPage = page(() => import('./accounts/accounts-page.tsx'), 'AccountsPage');
const AccountPage = page(() => import('./accounts/account-page.tsx'), 'AccountPage');
const TeamPage = page(() => import('./teams/team-page.tsx'), 'TeamPage');
const SeatPage = page(() => import('./teams/seat-page.tsx'), 'SeatPage');
const KeyPage = page(() => import('./keys/key-page.tsx'), 'KeyPage');
const EndUserPage = page(() => import('./end-users/end-user-page.tsx'), 'EndUserPage');

/** Routes the pages for operators and auditors of the installation. */
export function Console() {
  return (
    <Routes>
      <Route element={<ConsoleShell />}>
        <Route index element={<Navigate to="/operate/overview" replace />} />
        <Route path="overview" element={<OverviewPage />} />
        <Route path="requests" element={<RequestsPage />} />
        <Route path="requests/:requestId" element={<RequestPage />} />
        <Route path="fleet" element={<FleetPage />} />
        <Route path="webhooks" element={<InstallationWebhooksPage />} />
        <Route path="webhooks/:webhookId" element={<InstallationWebhookPage />} />
        <Route path="audit" element={<ConsoleAuditPage />} />
        <Route path="playground" element={<ConsolePlaygroundPage />} />
        <Route path="providers" element={<ProvidersPage />} />
        <Route path="providers/:id" element={<ProviderPage />} />
        <Route path="models" element={<ModelsPage />} />
        <Route path="models/*" element={<ModelPage />} />
        <Route path="catalog" element={<CatalogPage />} />
        <Route path="catalog/versions" element={<CatalogVersionsPage />} />
        <Route path="catalog/versions/:revision" element={<CatalogVersionPage />} />
        <Route path="price-lists" element={<PriceListsPage />} />
        <Route path="price-lists/:priceListId" element={<PriceListPage />} />
        <Route path="accounts" element={<AccountsPage />} />
        <Route path="accounts/:accountId" element={<AccountPage />} />
        <Route path="teams/:teamId" element={<TeamPage />} />
        <Route path="seats/:seatId" element={<SeatPage />} />
        <Route path="keys/:keyId" element={<KeyPage />} />
        <Route path="end-user" element={<EndUserPage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}

function ConsoleShell() {
  return (
    <SearchProvider pages={CONSOLE_SECTIONS}>
      <SignedInShell label="Console" Navigation={ConsoleNavigation}>
        <RoleGate />
      </SignedInShell>
    </SearchProvider>
  );
}

/** Shows the pages to users with a role in the installation, and tells others how they get one. */
function RoleGate() {
  const user = useSession().data?.user;
  if (user == null) return null;
  if (user.installationRole !== null) return <PageOutlet />;
  return (
    <>
      <PageHeader title="For operators and auditors" />
      <EmptyState
        icon={<IconLock size={28} />}
        title="This page needs the role operator or auditor"
        action={
          <Button component={Link} to="/dashboard">
            My account
          </Button>
        }
      >
        Ask an operator of this gateway to run: gatewayctl roles grant --email {user.email} --role operator
      </EmptyState>
    </>
  );
}
