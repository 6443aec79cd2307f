// A set-up file: in runs of everything, what the tests start in their own process starts its threads and helpers from a bundle.
const redirect = process.env['PATCHBAY_TEST_PROGRAMS'];
if (redirect !== undefined) await import(redirect);
