import { describe, expect, it } from 'vitest';
import { createMetricRegistry, metricDefinitions } from './measuring.ts';
import { prometheusName, prometheusText } from './prometheus-text.ts';

const text = (registry = createMetricRegistry(), samples: Parameters<typeof registry.collect>[0] = []) =>
  prometheusText(registry.collect(samples));

describe('the registry', () => {
  it('writes counters, histograms and gauges', () => {
    const registry = createMetricRegistry();
    registry.count('patchbay.limit.refusals', 1, { code: 'rate_limited', policy: 'key' });
    registry.count('patchbay.limit.refusals', 2, { code: 'rate_limited', policy: 'key' });
    registry.record('patchbay.webhook.delivery.duration', 0.02, { outcome: 'delivered' });
    registry.record('patchbay.webhook.delivery.duration', 500, { outcome: 'delivered' });
    const lines = text(registry, [{ name: 'process.memory.usage', value: 7 }]).split('\n');
    expect(lines).toContain('# TYPE patchbay_limit_refusals_total counter');
    expect(lines).toContain('patchbay_limit_refusals_total{code="rate_limited",policy="key"} 3');
    expect(lines).toContain('patchbay_webhook_delivery_duration_seconds_bucket{outcome="delivered",le="0.01"} 0');
    expect(lines).toContain('patchbay_webhook_delivery_duration_seconds_bucket{outcome="delivered",le="0.025"} 1');
    expect(lines).toContain('patchbay_webhook_delivery_duration_seconds_bucket{outcome="delivered",le="+Inf"} 2');
    expect(lines).toContain('patchbay_webhook_delivery_duration_seconds_count{outcome="delivered"} 2');
    expect(lines).toContain('patchbay_webhook_delivery_duration_seconds_sum{outcome="delivered"} 500.02');
    expect(lines).toContain('process_memory_usage_bytes 7');
  });

  it('escapes label values, and ignores labels that a definition does not know', () => {
    const registry = createMetricRegistry();
    registry.count('patchbay.limit.refusals', 1, { code: 'a"b\\c\nd', policy: '', caller: 'key_1' });
    expect(text(registry)).toContain('patchbay_limit_refusals_total{code="a\\"b\\\\c\\nd",policy=""} 1');
  });

  it('frozen attributes count in the series of equal ones, and others are read each time', () => {
    const registry = createMetricRegistry();
    const frozen = Object.freeze({ code: 'rate_limited', policy: 'key' });
    for (const policy of ['key', 'tenant']) {
      registry.count('patchbay.limit.refusals', 1, frozen);
      registry.count('patchbay.limit.refusals', 10, Object.assign({ code: 'rate_limited' }, { policy }));
    }
    const changing = { code: 'rate_limited', policy: 'tenant' };
    registry.count('patchbay.limit.refusals', 100, changing);
    changing.policy = 'ip';
    registry.count('patchbay.limit.refusals', 1_000, changing);
    expect(text(registry).trim().split('\n').slice(2)).toEqual([
      'patchbay_limit_refusals_total{code="rate_limited",policy="key"} 12',
      'patchbay_limit_refusals_total{code="rate_limited",policy="tenant"} 110',
      'patchbay_limit_refusals_total{code="rate_limited",policy="ip"} 1000',
    ]);
  });

  it('series beyond the bound are merged into one', () => {
    const registry = createMetricRegistry();
    for (let index = 0; index < 3_000; index += 1) registry.count('patchbay.limit.refusals', 1, { code: `c${index}` });
    const lines = text(registry).trim().split('\n').slice(2);
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toBe('patchbay_limit_refusals_total{code="other",policy="other"} 1000');
  });

  it('records metrics of plugins with the attributes of their first measurement', () => {
    const registry = createMetricRegistry();
    registry.count('acme.cache.hits', 1, { tier: 'memory' });
    expect(text(registry)).toContain('acme_cache_hits_total{tier="memory"} 1');
  });

  it('names each metric once', () => {
    const names = Object.entries(metricDefinitions).map(([name, definition]) => prometheusName(name, definition));
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });
});
