import type { CatalogMessage } from '@model-gateway/contracts';
import { type Logger, type Registry, TallyCounter, TallyHistogram } from '@model-gateway/service-kit';
import { type CatalogGuardrail, guardrailEntry } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import type { Guardrail, GuardrailCheck } from './guardrail.ts';
import { HttpCheck } from './kinds/http-check.ts';
import { PatternsCheck, re2Pattern } from './kinds/patterns-check.ts';
import { GuardrailService } from './kinds/post-to-service.ts';
import { PresidioCheck } from './kinds/presidio-check.ts';
import { secretPatterns } from './kinds/secret-patterns.ts';

const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface GuardrailsOptions {
  credential: (name: string) => string | undefined;
  egress: EgressProxy;
  registry: Registry;
  log: Pick<Logger, 'error' | 'warn'>;
}

/** The guardrails of the catalog in force. */
export class Guardrails {
  readonly #options: GuardrailsOptions;
  #all: ReadonlyMap<string, Guardrail> = new Map();
  /** By definition: an unchanged guardrail keeps its connections. */
  #built: ReadonlyMap<string, Guardrail> = new Map();
  /** False: no request is checked. */
  #isUsed = false;
  readonly metrics;

  constructor(options: GuardrailsOptions) {
    this.#options = options;
    const { registry } = options;
    this.metrics = {
      checks: new TallyCounter({
        registry,
        name: 'gateway_guardrail_checks_total',
        help: 'Checks by guardrail, direction and outcome: passed, replaced, blocked, failed.',
        labelNames: ['guardrail', 'direction', 'outcome'],
      }),
      duration: new TallyHistogram({
        registry,
        name: 'gateway_guardrail_duration_seconds',
        help: 'Duration of a check.',
        labelNames: ['guardrail'],
        buckets: BUCKETS,
      }),
    };
  }

  get log(): GuardrailsOptions['log'] {
    return this.#options.log;
  }

  update({ guardrails, models }: Pick<CatalogMessage, 'guardrails' | 'models'>): void {
    this.#built = new Map(
      guardrails.map(({ definition, id }) => [
        definition,
        this.#built.get(definition) ?? this.#guardrailOf(id, definition),
      ]),
    );
    this.#all = new Map([...this.#built.values()].map((guardrail) => [guardrail.id, guardrail]));
    this.#isUsed = guardrails.length > 0 || models.some((model) => model.guardrails.length > 0);
  }

  /**
   * Returns the guardrails of a request: those of its account, then those of all models that may answer it.
   * @returns undefined if nothing is checked
   */
  of(
    models: readonly Pick<RoutedModel, 'guardrails'>[],
    accountId: string,
  ): readonly Guardrail[] | undefined {
    if (!this.#isUsed) return undefined;
    const ofAccount = [...this.#all.values()].filter(
      ({ accounts }) => accounts === 'all' || accounts.has(accountId),
    );
    const ofModels = models
      .flatMap(({ guardrails = [] }) => guardrails)
      .map((id) => this.#all.get(id) ?? unknown(id));
    const chosen = [...new Map([...ofAccount, ...ofModels].map((each) => [each.id, each])).values()];
    return chosen.length === 0 ? undefined : chosen;
  }

  /**
   * Returns the guardrails of a stored response: all of them if its model has left the catalog.
   * @param others ids of guardrails that checked it, besides those of its model and account
   */
  ofStored(
    model: Pick<RoutedModel, 'guardrails'> | undefined,
    others: readonly string[],
    accountId: string,
  ): readonly Guardrail[] | undefined {
    if (model === undefined) return this.#all.size === 0 ? undefined : [...this.#all.values()];
    // One that was removed from the catalog is to check nothing.
    return this.of([model, { guardrails: others.filter((id) => this.#all.has(id)) }], accountId);
  }

  #guardrailOf(id: string, definition: string): Guardrail {
    try {
      const entry = guardrailEntry.parse(JSON.parse(definition));
      const { accounts, deadline_ms, hold_back, on_failure, when } = entry;
      return {
        ...{ id, when, on_failure, deadline_ms, hold_back },
        accounts: accounts === 'all' ? accounts : new Set(accounts),
        check: this.#checkOf(entry),
      };
    } catch (error) {
      this.#options.log.error(
        { guardrail: id, error },
        'a guardrail cannot be used: its requests are refused',
      );
      return unknown(id);
    }
  }

  #checkOf(entry: CatalogGuardrail): GuardrailCheck {
    if (entry.kind === 'patterns')
      return new PatternsCheck(entry.patterns.map((each) => re2Pattern(each.name, each.pattern, each)));
    if (entry.kind === 'secrets') return new PatternsCheck(secretPatterns(entry.action));
    const service = new GuardrailService(entry, entry.kind === 'presidio' ? '/analyze' : '', this.#options);
    return entry.kind === 'presidio'
      ? new PresidioCheck(service, entry)
      : new HttpCheck(service, entry.params);
  }
}

/** A guardrail that this release does not know: every check fails. */
function unknown(id: string): Guardrail {
  return {
    ...{ id, when: 'both', on_failure: 'refuse', deadline_ms: 1_000, hold_back: 0 },
    accounts: new Set(),
    check: {
      isRemote: false,
      check: () => {
        throw new Error('this release does not know the guardrail');
      },
    },
  };
}
