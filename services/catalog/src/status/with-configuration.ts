import type { ComponentStatus, HealthState } from '@model-gateway/shared';
import type { ConfiguredModel, ConfiguredProvider } from './configurations.ts';

interface Health {
  status: ComponentStatus;
  state: HealthState;
  sentence: string | null;
  since: number | null;
}

/** Adds missing credentials to the health measured from traffic: a lack of them stops the traffic. */
export function withConfiguration<
  Figures extends Health,
  Configured extends ConfiguredModel | ConfiguredProvider,
>(figures: Figures, configured: Configured): Omit<Figures, 'status'> & Configured {
  const { configuration, status } = configured;
  if (configuration === 'not_configured') {
    const sentence = 'Not configured, because no data plane has the credential that it needs.';
    return { ...figures, ...configured, state: configuration, sentence, since: null };
  }
  if (configuration === undefined) return { ...figures, ...configured };
  const state = status === figures.status ? figures.state : status;
  const partly = 'Some data planes lack a credential that it needs.';
  const sentence =
    figures.status === 'operational' ? partly : `${partly} ${figures.sentence ?? ''}`.trimEnd();
  return { ...figures, ...configured, state, sentence };
}
