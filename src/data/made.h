// Made data: pictures computed from a seed, for trying things without any file or network.
#pragma once

#include "data/dataset.h"

namespace hornbeam {

// As many pictures of the shape of CIFAR, uint8 (samples, 32, 32, 3), with labels uint8
// (samples, 1); 1 to 100 classes in turn. A class is a direction, width and colour of waves; phase,
// brightness and noise differ from picture to picture, so that a network has something to learn and
// cannot learn it by heart. The name says that the data is made.
Dataset made_images(int64_t samples, int64_t classes, uint64_t seed);

}  // namespace hornbeam
