import { Alert, Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { IconCircleCheck, IconHistory } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useManagement } from '../../api/use-management.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { CatalogForm } from './catalog-form.tsx';
import { writeCatalog } from './catalog-text.ts';
import { PlanPanel } from './plan-panel.tsx';
import { useCatalogDraft } from './use-catalog-draft.ts';
import { YamlEditor } from './yaml-editor.tsx';

/** Shows the catalog in force, or an earlier one to roll back to, as a form or as YAML. */
export function CatalogPage() {
  const [query] = useAddressQuery();
  const revision = query.get('version');
  const current = useManagement('getCatalog', {}, { enabled: revision === null });
  const version = useManagement(
    'getCatalogVersion',
    { path: { revision: revision ?? '' } },
    { enabled: revision !== null },
  );
  const shown = revision === null ? current : version;
  const body = shown.data?.body;
  return (
    <>
      <PageHeader
        title={revision === null ? 'Catalog' : `Roll back to catalog ${revision}`}
        description="Providers, models and prices. Plan a change before you apply it."
        actions={
          <Button
            component={Link}
            to="/operate/catalog/versions"
            variant="default"
            leftSection={<IconHistory size={18} aria-hidden />}
          >
            History
          </Button>
        }
      />
      <QueryState query={shown} loading="Reading the catalog" />
      {body !== undefined && <Editor key={revision} document={body.document} />}
    </>
  );
}

function Editor({ document }: { document: unknown }) {
  const [query, change] = useAddressQuery();
  const isForm = query.get('view') !== 'yaml';
  const mayChange = useMayChange();
  const draft = useCatalogDraft(() => writeCatalog(document));
  const { apply, applied, catalog, plan, planned, problems, text } = draft;
  return (
    <Stack gap="lg">
      {applied !== null && (
        <Alert color="green" icon={<IconCircleCheck aria-hidden />} role="status">
          Applied as revision {applied}. Data planes use it within a second.
        </Alert>
      )}
      <Panel
        title="Catalog"
        actions={
          <Group gap="sm">
            <SegmentedControl
              aria-label="View"
              value={isForm ? 'form' : 'yaml'}
              onChange={(view) => change({ view })}
              data={[
                { value: 'form', label: 'Form' },
                { value: 'yaml', label: 'YAML' },
              ]}
            />
            <Button loading={plan.isPending} onClick={() => plan.run()}>
              Plan
            </Button>
          </Group>
        }
      >
        {problems.length === 0 && <ErrorNotice error={plan.error} />}
        {isForm && catalog.problems.length === 0 ? (
          <>
            <ProblemCount count={problems.length} onShow={() => change({ view: 'yaml' })} />
            <CatalogForm editing={{ catalog, isReadOnly: !mayChange, change: draft.change }} />
          </>
        ) : (
          <YamlEditor
            text={text}
            problems={problems}
            isReadOnly={!mayChange}
            onChange={(changed) => draft.change(() => changed)}
          />
        )}
      </Panel>
      {planned !== null && <PlanPanel plan={planned} apply={apply} />}
    </Stack>
  );
}

function ProblemCount({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <Alert color="red" role="alert">
      <Group gap="sm">
        The catalog has {count === 1 ? 'a problem' : `${count} problems`}.
        <Button size="xs" variant="default" onClick={onShow}>
          Show in YAML
        </Button>
      </Group>
    </Alert>
  );
}
