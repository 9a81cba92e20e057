import { Button, Code, Stack } from '@mantine/core';
import { IconCube, IconSearch } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { countOf } from '../../format/format-count.ts';
import { type Model, matchingModels } from './matching-models.ts';
import { ModelDetails } from './model-details.tsx';
import { ModelFilters, modelViewOf, NO_FILTERS } from './model-filters.tsx';
import { ModelGroups } from './model-groups.tsx';
import { useModelStates } from './use-model-states.ts';
import { useModels } from './use-models.ts';

/** Shows the catalog, also to visitors who are not signed in. */
export function ModelsPage() {
  const models = useModels();
  return (
    <>
      <PageHeader
        title="Models"
        description="Every model of this gateway, with its price and state. Token prices are per million, input / output."
      />
      <Stack gap="md">
        <QueryState query={models} loading="Reading the catalog" />
        {models.data !== undefined && <Catalog models={models.data.data} />}
      </Stack>
    </>
  );
}

function Catalog({ models }: { models: readonly Model[] }) {
  const [query, changeQuery] = useAddressQuery();
  const stateOf = useModelStates();
  // Keeps `onOpen` the same at every rendering, so that ModelGroups does not render its rows again.
  const latest = useRef(changeQuery);
  useEffect(() => {
    latest.current = changeQuery;
  });
  const onOpen = useCallback((id: string) => latest.current({ model: id }), []);
  const { filter, groupBy } = modelViewOf(query);
  const { text, capability, provider, tier } = filter;
  const shown = useMemo(
    () => matchingModels(models, { text, capability, provider, tier }),
    [models, text, capability, provider, tier],
  );
  if (models.length === 0) {
    return (
      <EmptyState icon={<IconCube size={28} />} title="There are no models yet">
        The operator of this gateway adds models with <Code>gatewayctl catalog apply -f FILE</Code>. They show
        here at once.
      </EmptyState>
    );
  }
  const opened = query.get('model');
  return (
    <>
      <ModelFilters models={models} filter={filter} groupBy={groupBy} change={changeQuery} />
      <Hint role="status">
        {shown.length === models.length
          ? countOf(models.length, 'model')
          : `${shown.length} of ${countOf(models.length, 'model')}`}
      </Hint>
      {shown.length === 0 && (
        <EmptyState
          icon={<IconSearch size={28} />}
          title="No model fits"
          action={
            <Button variant="default" onClick={() => changeQuery(NO_FILTERS)}>
              Show all models
            </Button>
          }
        >
          Search for fewer words, or choose another capability, provider or price.
        </EmptyState>
      )}
      <ModelGroups models={shown} groupBy={groupBy} stateOf={stateOf} onOpen={onOpen} />
      <ModelDetails
        model={models.find(({ id }) => id === opened)}
        stateOf={stateOf}
        onClose={() => changeQuery({ model: undefined })}
      />
    </>
  );
}
