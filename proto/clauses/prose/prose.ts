/**
 * What a document of the contract says in sentences, in our own words, by the place as clauses cite it: `Endpoints 6`,
 * `Messages: Secret`. Several sentences of one place that stand for themselves are several texts. What options of the
 * protobuf files say stands there alone.
 */
export type Prose = Readonly<Record<string, string | readonly string[]>>;
