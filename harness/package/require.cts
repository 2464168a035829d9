// What CommonJS gets by `require`: it cannot load a module that waits for its cases to be found, and would say so in Node's words.
throw new Error(
  'hallmark is an ES module: take it by import, or from CommonJS by await import("hallmark"); require cannot load it.',
);
