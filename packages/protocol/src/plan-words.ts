/** Adjectives of plan names. */
export const adjectives: readonly string[] = words(`
  amber brisk calm candid cheerful clear coastal cobalt compact copper cosy crisp curious dapper deft distant
  dusky eager early earnest even fabled fair fearless fleet fluent frosty gentle glad golden hardy hazel humble
  ivory keen kindly late level lively lofty loyal lucid lunar mellow mild modest neat nimble noble patient
  placid plain polar prompt quiet rapid rustic sandy serene silver sincere sober solar spare spry stable steady
  sunny supple swift tidal tidy umber upbeat velvet warm wise witty woven
`);

/** Verbs of plan names. */
export const verbs: readonly string[] = words(`
  asking baking basking bending blending braiding building carving charting climbing coasting combing counting
  crossing dancing darning drafting drawing drifting ferrying filing finding fishing folding forging framing
  gardening gathering gliding grafting grazing guiding hiking hoisting humming joining juggling jumping kneading
  knitting leaping lifting linking listening mapping marching mending milling mixing molding mowing musing
  painting paddling pacing planting plotting plowing pondering pouring reading rowing sailing sanding sewing
  sifting singing sketching skipping sorting sowing spinning stacking stitching strolling tending threading
  tracing trading turning wading walking weaving weighing whistling winding
`);

/** Nouns of plan names. */
export const nouns: readonly string[] = words(`
  acorn alder almond anchor anvil apricot arbor aspen atlas badger bamboo barley beacon beech birch bison
  bramble bridge brook canoe canyon cedar cello chestnut cliff clover comet compass coral cove crane creek
  cricket cypress dahlia delta dingo dune egret elm falcon fern ferry finch fjord flint gannet garnet geyser
  ginger glacier grove harbor hazelnut heath heron hollow ibex inlet iris juniper kayak kestrel kettle lagoon
  lantern larch lemur lichen linden lynx maple marten meadow mesa moss nutmeg oak ocelot orchard osprey otter
  oyster pebble pepper pine plover prairie quail quartz quince raven reef ridge river saffron sequoia sparrow
  spruce summit sundial tamarind teapot thicket thistle tundra turnip valley walnut willow wombat
`);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
