/**
 * The config of a gateway in front of the provider of these benches.
 *
 * @param url Of the provider.
 * @param limits The section as YAML. Default: off.
 */
export const gatewayConfig = (url: string, limits = '{ off: true }'): string => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
router: { use: "@patchbay/router-weighted" }
providers:
  openai: { use: "@patchbay/provider-openai", with: { apiKey: sk-bench, catalogue: true, baseUrl: "${url}/v1" } }
secretFile: ./secret
limits: ${limits}
`;
