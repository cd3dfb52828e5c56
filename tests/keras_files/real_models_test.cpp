// Real model files of Keras 1.0 to 3.15, as listed in the manifest beside them: each loads, or is
// refused by the name of the class that is not supported. The verdicts were made with h5py and
// json, by comparing the classes of the layers in the files with those that Hornbeam promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "helpers.h"
#include "keras/load.h"
#include "refusals.h"

namespace hornbeam {
namespace {

struct Verdict {
  std::string code;   // empty: it loads
  std::string layer;  // the class that is refused: the first of the file that is not supported
};

const std::map<std::string, Verdict> verdicts{
    {"dl4j-cfg-1-lstm-tddense/lstm_tddense_config.json", {"H110", "LSTM"}},
    {"dl4j-cfg-1-mnist-cnn/mnist_cnn_tf_keras_1_config.json", {}},
    {"dl4j-cfg-1-mnist-mlp-constraint/mnist_mlp_constraint_tf_keras_1_config.json", {}},
    {"dl4j-cfg-2-bidirectional-lstm/bidirectional_lstm_tf_keras_2_config.json",
     {"H110", "Bidirectional"}},
    {"dl4j-cfg-2-embedding-flatten-graph-th-keras-2/embedding_flatten_graph_th_keras_2.json",
     {"H110", "Merge"}},
    {"dl4j-cfg-2-l1l2-regularizer-dense/l1l2_regularizer_dense_tf_keras_2_config.json", {}},
    {"dl4j-cfg-2-model-concat-embedding-sequences/model_concat_embedding_sequences_tf_keras_2.json",
     {"H111", "InputLayer"}},  // of dtype "float"
    {"dl4j-cfg-2-yolo9000/yolo9000_tf_keras_2.json", {"H110", "Lambda"}},
    {"dl4j-cfg-agz-sep-conv-policy/sep_conv_policy.json", {}},
    {"dl4j-cnn1d-flatten/cnn1d_flatten_tf_keras2.h5", {"H110", "Conv1D"}},
    {"dl4j-custom-loss/custom_loss.h5", {}},
    {"dl4j-elephas-fapi/elephas_model.h5", {}},
    {"dl4j-elephas-seq/elephas_sequential.h5", {}},
    {"dl4j-io-act-relu_2/ReLU_2_config.json", {}},
    {"dl4j-io-act-relu_2/ReLU_2_model.h5", {}},
    {"dl4j-io-act-softmax_0/Softmax_0_config.json", {}},
    {"dl4j-io-act-softmax_0/Softmax_0_model.h5", {}},
    {"dl4j-io-causal-conv1d-k4-s2-d1-cl/causal_conv1d_k4_s2_d1_cl_config.json", {"H110", "Conv1D"}},
    {"dl4j-io-causal-conv1d-k4-s2-d1-cl/causal_conv1d_k4_s2_d1_cl_model.h5", {"H110", "Conv1D"}},
    {"dl4j-io-conv1d-k2-s1-d2-cl-valid/conv1d_k2_s1_d2_cl_valid_config.json", {"H110", "Conv1D"}},
    {"dl4j-io-conv1d-k2-s1-d2-cl-valid/conv1d_k2_s1_d2_cl_valid_model.h5", {"H110", "Conv1D"}},
    {"dl4j-io-conv1d-k4-s3-d1-cf-same/conv1d_k4_s3_d1_cf_same_config.json", {"H110", "Conv1D"}},
    {"dl4j-io-conv1d-k4-s3-d1-cf-same/conv1d_k4_s3_d1_cf_same_model.h5", {"H110", "Conv1D"}},
    {"dl4j-io-flatten-rnn/simple_flatten_rnn_tf_keras_2_config.json", {"H110", "SimpleRNN"}},
    {"dl4j-io-flatten-rnn/simple_flatten_rnn_tf_keras_2_model.h5", {"H110", "SimpleRNN"}},
    {"dl4j-io-lstm-k1-th/simple_lstm_th_keras_1_config.json", {"H110", "LSTM"}},
    {"dl4j-io-lstm-k1-th/simple_lstm_th_keras_1_model.h5", {"H110", "LSTM"}},
    {"dl4j-io-rnn-k2/simple_rnn_tf_keras_2_config.json", {"H110", "SimpleRNN"}},
    {"dl4j-io-rnn-k2/simple_rnn_tf_keras_2_model.h5", {"H110", "SimpleRNN"}},
    {"dl4j-io-sparse-xent/simple_sparse_xent_mlp_keras_2_config.json", {}},
    {"dl4j-io-sparse-xent/simple_sparse_xent_mlp_keras_2_model.h5", {}},
    {"dl4j-k1-cnn-tf/cnn_tf_config.json", {}},
    {"dl4j-k1-cnn-tf/cnn_tf_model.h5", {}},
    {"dl4j-k1-lstm-tddense/lstm_tf_model.h5", {"H110", "LSTM"}},
    {"dl4j-lambda-model/model_lambda.h5", {"H110", "Lambda"}},
    {"dl4j-lstm-functional/lstm_functional_tf_keras_2.h5", {"H110", "LSTM"}},
    {"dl4j-opt-adamax/adamax.h5", {}},
    {"dl4j-tf-adv-act-2/adv_act_2.h5", {"H110", "PReLU"}},
    {"dl4j-tf-batchnormerror2/batchNormError2.h5", {"H110", "Conv1D"}},
    {"dl4j-tf-cnn-1d-doublecount/cnn_1d_doublecount.h5.h5", {"H110", "Conv1D"}},
    {"dl4j-tf-cnn2d-76/cnn2d_76.h5", {"H110", "SeparableConv2D"}},
    {"dl4j-tf-cnn3d-17/cnn3d_17.h5", {"H110", "Conv3D"}},
    {"dl4j-tf-issue-9349/issue_9349.hdf5", {"H111", "InputLayer"}},  // uint16
    {"dl4j-tf-mlp-0/mlp_0.h5", {}},
    {"dl4j-tf-rnn-127/rnn_127.h5", {"H110", "Bidirectional"}},
    {"dl4j-tf-some-loss/some_loss.h5", {}},
    {"dl4j-tf-tfop-0/tfop_0.h5", {"H110", "TensorFlowOpLayer"}},
    {"dl4j-w-bidirectional-lstm-tf-2/bidirectional_lstm_tensorflow_2.h5",
     {"H110", "Bidirectional"}},
    {"dl4j-w-embedding-conv1d-extended-tf-2/embedding_conv1d_extended_tensorflow_2.h5",
     {"H110", "Conv1D"}},
    {"dl4j-w-embedding-conv1d-flatten-tf-1/embedding_conv1d_flatten_tensorflow_1.h5",
     {"H110", "Convolution1D"}},
    {"dl4j-w-flatten-3d/flatten_3d.hdf5", {}},
    {"dl4j-w-sepconv2d-tf-2/sepconv2d_tensorflow_2.h5", {"H110", "SeparableConv2D"}},
    {"dl4j-w-simpleconv2d-model/simpleconv2d_model.hdf5", {}},
    {"keras-nested-container/pre_pr22362_nested_container.keras", {"H110", "NestedDenseModel"}},
    {"keras2cpp-mnist-k1/my_nn_arch.json", {}},
    {"rasa-dialogue/keras_model.h5", {"H110", "Masking"}},
    {"tiny-resnet8-cifar10/pretrainedResnet.h5", {}},
    {"tiny-streaming-ww/str_ww_ref_model.h5", {"H110", "DepthwiseConv2D"}},
    {"xception-mini-gender/gender_mini_XCEPTION.21-0.95.hdf5", {"H110", "SeparableConv2D"}},
};

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

struct ManifestRow {
  std::string file, kind;
  std::vector<std::string> layers;
};

std::vector<ManifestRow> manifest() {
  std::ifstream table(real_models() / "manifest.tsv");
  std::vector<ManifestRow> rows;
  std::string line;
  std::getline(table, line);  // the names of the columns
  while (std::getline(table, line)) {
    std::vector<std::string> cells = split(line, '\t');
    cells.resize(std::max<size_t>(cells.size(), 8));
    rows.push_back({cells[0] + "/" + cells[1], cells[5], split(cells[7], ',')});
  }
  return rows;
}

// The layers that every file may have, by their names of Keras 1 to 3.
const std::set<std::string> promised{
    "Sequential",    "Model",
    "Functional",    "InputLayer",
    "Dense",         "Conv2D",
    "Convolution2D", "Activation",
    "ReLU",          "Softmax",
    "Dropout",       "BatchNormalization",
    "Flatten",       "Reshape",
    "MaxPooling2D",  "AveragePooling2D",
    "Add",           "GlobalAveragePooling2D",
    "Concatenate",   "GlobalMaxPooling2D",
    "ZeroPadding2D", "Rescaling",
    "Embedding",
};

bool holds_a_model(const std::string& kind) {
  return kind == "h5-model" || kind == "json" || kind == "keras-v3";
}

class RealModels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(real_models())) GTEST_SKIP() << "there is no " << real_models();
  }
};

TEST_F(RealModels, LoadOrAreRefusedByTheNameOfALayer) {
  size_t met = 0;
  for (const ManifestRow& row : manifest()) {
    if (!holds_a_model(row.kind)) continue;
    SCOPED_TRACE(row.file);
    ASSERT_TRUE(verdicts.contains(row.file));
    const Verdict& verdict = verdicts.at(row.file);
    ++met;
    auto load = [&] { load_model_file(real_models() / row.file, {}); };
    if (verdict.code.empty()) {
      EXPECT_NO_THROW(load());
      continue;
    }
    expect_failure(verdict.code, verdict.layer, load);
    expect_failure(verdict.code, row.file, load);
  }
  EXPECT_EQ(met, verdicts.size());
}

TEST_F(RealModels, LoadWhenTheirLayersArePromised) {
  for (const ManifestRow& row : manifest()) {
    if (!holds_a_model(row.kind)) continue;
    const Verdict& verdict = verdicts.at(row.file);
    bool all_promised = std::ranges::all_of(
        row.layers, [](const std::string& layer) { return promised.contains(layer); });
    if (all_promised)
      EXPECT_EQ(verdict.code, "") << row.file;
    else
      EXPECT_TRUE(std::ranges::count(row.layers, verdict.layer)) << row.file;
  }
}

}  // namespace
}  // namespace hornbeam
