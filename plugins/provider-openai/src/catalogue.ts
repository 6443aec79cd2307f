import type { ModelInfo } from '@patchbay/core/provider';
import data from './catalogue.json' with { type: 'json' };

export const catalogue = data.models as readonly ModelInfo[];

/** Models that Chat Completions refuses together with tools, unless the request turns reasoning off. */
export const toolsNeedNoReasoning: ReadonlySet<string> = new Set(data.toolsNeedNoReasoning);

/**
 * Models that are called through the Responses API: Chat Completions takes their tools only with the effort `none`,
 * which they do not have.
 */
export const needsResponses: ReadonlySet<string> = new Set(data.needsResponses);
