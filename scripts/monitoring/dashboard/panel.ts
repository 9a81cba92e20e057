import {
  FieldColorModeId,
  LegendDisplayMode,
  type Panel,
  SortOrder,
  StackingMode,
  TooltipDisplayMode,
} from '@grafana/schema';
import type {
  FieldConfig,
  Options,
} from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

type Unit = 'bytes' | 'currencyUSD' | 'percentunit' | 'reqps' | 'ops' | 's' | 'short';

/** A panel of the dashboard; its place follows from the order. */
export interface PanelSource {
  title: string;
  /** Its content, and healthy values. */
  description: string;
  unit: Unit;
  /** Each with how its lines are called: `{{label}}` stands for a value. */
  queries: readonly (readonly [expr: string, legend: string])[];
  /** Lines on top of each other, where their sum means something. */
  stacked?: boolean;
}

/** A heading, and what stands under it. */
export interface RowSource {
  title: string;
  panels: readonly PanelSource[];
}

/** As Grafana's data source for Prometheus takes it. */
interface PrometheusQuery extends Record<string, unknown> {
  refId: string;
  expr: string;
  legendFormat: string;
  editorMode: 'code';
  range: true;
}

export const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

const OPTIONS: Options = {
  legend: { displayMode: LegendDisplayMode.List, placement: 'bottom', showLegend: true, calcs: [] },
  tooltip: { mode: TooltipDisplayMode.Multi, sort: SortOrder.Descending },
};

/** Makes the panel of Grafana, but for its place. */
export function panelOf({ description, queries, stacked = false, title, unit }: PanelSource): Panel {
  const custom: FieldConfig = {
    lineWidth: 1,
    fillOpacity: stacked ? 30 : 5,
    spanNulls: false,
    stacking: { mode: stacked ? StackingMode.Normal : StackingMode.None, group: 'A' },
  };
  const targets = queries.map(
    ([expr, legendFormat], index): PrometheusQuery => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      expr,
      legendFormat,
      editorMode: 'code',
      range: true,
    }),
  );
  return {
    type: 'timeseries',
    title,
    description,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: { unit, min: 0, color: { mode: FieldColorModeId.PaletteClassic }, custom: { ...custom } },
      overrides: [],
    },
    options: { ...OPTIONS },
    targets,
  };
}
